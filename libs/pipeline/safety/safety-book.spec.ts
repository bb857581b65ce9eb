import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safetyRecord } from '#libs/devkit/testing/market/safety-record.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { encodeSafety, safetyKey, type TokenSafetyRecord } from '#libs/protocol/token-safety.js';
import { tokenSafetyTopic } from '#libs/protocol/topics.js';
import { SafetyBook } from './safety-book.js';

const token = 'ab'.repeat(20);

describe('the book of what simulations found', () => {
  let dir: string;
  let log: EventLog;
  let writer: LogWriter;
  const ended = new AbortController();
  const runs: Promise<void>[] = [];
  const following = (records: boolean): SafetyBook => {
    const book = new SafetyBook({ log, records, pollMs: 5 }, 'spec');
    runs.push(book.run(ended.signal));
    return book;
  };
  const state = (record: TokenSafetyRecord | null, of = token): Promise<void> =>
    writer.append([{ topic: tokenSafetyTopic, key: safetyKey('eth', of), value: record && encodeSafety(record) }]);

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-safety-book-'));
    log = await openEmbeddedLog({ dir });
    await log.ensureTopics([tokenSafetyTopic]);
    writer = await log.openWriter('safety.eth');
  });

  afterAll(async () => {
    ended.abort();
    await Promise.all(runs);
    await log.close();
    await removeFolder(dir);
  });

  it('says the same in every process that read as far, whole records only where they are kept', async () => {
    const [whole, short] = [following(true).of('eth'), following(false).of('eth')];
    const record = safetyRecord({ sellable: false, mintable: true });
    await state(record);
    await until('both have read it', () => whole.version !== '' && whole.version === short.version);
    for (const book of [whole, short]) {
      expect(book.summaryOf(token)).toEqual({ risks: ['not_sellable', 'mintable'], sellable: false });
      expect(book.summaryOf('cd'.repeat(20))).toBeNull();
    }
    expect([whole.recordOf(token), short.recordOf(token)]).toEqual([record, null]);
  });

  it('counts what a summary shows, and tells watchers of every record', async () => {
    const book = following(true).of('eth');
    await until('it has read', () => book.summaryOf(token) !== null);
    let told = 0;
    const end = book.watch(token, () => void told++);
    const before = book.changes;
    await state({ ...safetyRecord({ sellable: false, mintable: true }), height: 9 });
    await until('it was told', () => told === 1);
    expect([book.changes, book.recordOf(token)?.height]).toEqual([before, 9]);
    await state(safetyRecord({ sellable: true }));
    await until('it was told again', () => told === 2);
    expect([book.changes, book.summaryOf(token)]).toEqual([before + 1, { risks: [], sellable: true }]);
    end();
    await state(null);
    await until('it is gone', () => book.summaryOf(token) === null);
    expect([told, book.recordOf(token)]).toEqual([2, null]);
  });
});
