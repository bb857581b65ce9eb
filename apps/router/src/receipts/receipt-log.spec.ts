import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { randomReceipt } from '#libs/pipeline/store/receipts/test/random-receipt.js';
import { decodeReceipt } from '#libs/protocol/receipt-codec.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import { quoteReceiptsTopic } from '#libs/protocol/topics.js';
import { ReceiptLog } from './receipt-log.js';

describe('topic of receipts', () => {
  const random = new SeededRandom(11);
  let dir: string;
  let log: EventLog;
  let one: ReceiptLog;
  let other: ReceiptLog;
  let heard: { stated: QuoteReceipt[]; dropped: string[]; unreadable: string[] };
  const listener = {
    stated: (receipt: QuoteReceipt) => void heard.stated.push(receipt),
    dropped: (id: string) => void heard.dropped.push(id),
    unreadableRecord: (key: string) => void heard.unreadable.push(key),
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-receipt-log-'));
    log = await openEmbeddedLog({ dir });
    one = new ReceiptLog(log, 'receipts.one');
    other = new ReceiptLog(log, 'receipts.other');
    await one.open();
    await other.open();
    heard = { stated: [], dropped: [], unreadable: [] };
  });

  afterEach(async () => {
    await one.close();
    await other.close();
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const inTopic = async (id: string) => decodeReceipt((await log.readCompacted(quoteReceiptsTopic)).get(id)!);

  it('two routers write and hear each other', async () => {
    const [a, b] = [randomReceipt(random), randomReceipt(random)];
    await one.append([a]);
    await other.append([b]);
    await one.follow(listener);
    expect(heard.stated).toEqual([a, b]);
    await other.drop([a.id]);
    await one.follow(listener);
    expect(heard.dropped).toEqual([a.id]);
    expect(one.published(a.id)).toBeUndefined();
    expect(one.published(b.id)).toEqual(b);
  });

  it('an older value after a newer one is put right by whoever sees it', async () => {
    const older = randomReceipt(random, { asOf: { epoch: 1, seq: 5 } });
    const newer = { ...older, asOf: { epoch: 1, seq: 9 } };
    await one.append([newer]);
    await one.follow(listener);
    await other.append([older]);
    expect((await inTopic(older.id)).asOf.seq).toBe(5);
    await one.follow(listener);
    expect(heard.stated).toEqual([newer]);
    await one.append([]);
    expect((await inTopic(older.id)).asOf.seq).toBe(9);
    await other.follow(listener);
    expect(other.published(older.id)).toEqual(newer);
  });

  it('what it wrote itself is no older value of another', async () => {
    const older = randomReceipt(random, { asOf: { epoch: 1, seq: 5 } });
    const between = randomReceipt(random);
    await one.append([older]);
    await one.follow(listener);
    await one.append([{ ...older, asOf: { epoch: 1, seq: 9 } }]);
    await one.append([between]);
    await one.follow(listener);
    const before = (await log.describe()).find(({ name }) => name === quoteReceiptsTopic.name)!.partitions[0]!.records;
    await one.append([]);
    const after = (await log.describe()).find(({ name }) => name === quoteReceiptsTopic.name)!.partitions[0]!.records;
    expect(after).toBe(before);
    expect((await inTopic(older.id)).asOf.seq).toBe(9);
  });

  it('what cannot be read is told and left', async () => {
    const writer = await log.openWriter('somebody');
    const receipt = randomReceipt(random);
    await writer.append([
      { topic: quoteReceiptsTopic, key: 'x', value: Buffer.from('{"version":2}') },
      { topic: quoteReceiptsTopic, key: receipt.id, value: Buffer.from('nothing') },
    ]);
    await writer.close();
    await one.append([receipt]);
    await one.follow(listener);
    expect(heard).toEqual({ stated: [receipt], dropped: [], unreadable: ['x'] });
    expect((await log.readCompacted(quoteReceiptsTopic)).has('x')).toBe(true);
  });
});
