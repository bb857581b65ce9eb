import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { type ChildArguments, groupValue } from '#libs/devkit/testing/log-groups.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { EventLog } from '../log.js';
import { buildChild } from '../test/log-contract-kill.js';
import { freshTopic, group, readAll, texts } from '../test/log-fixtures.js';
import { TOMBSTONE_KEPT_MS } from './embedded-keyed.js';
import { openEmbeddedLog } from './embedded-log.js';

describe('embedded event log: disk, retention, damage', () => {
  let dir: string;
  const opened: EventLog[] = [];
  const openLog = async (now?: () => number): Promise<EventLog> => {
    const log = await openEmbeddedLog({ dir, now });
    opened.push(log);
    return log;
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-log-'));
  });

  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('everything is there again after closing and opening, and the writer continues', async () => {
    const topics = [freshTopic(), freshTopic('compacted'), freshTopic('keyed', 3)] as const;
    const [sequenced, compacted, keyed] = topics;
    const before = await openLog();
    await before.ensureTopics([...topics]);
    const writer = await before.openWriter('stage');
    const value = Buffer.from('v');
    await writer.append([
      group(sequenced, 0),
      { topic: compacted, key: 'a', value },
      { topic: keyed, key: 'k', value },
    ]);
    await before.close();
    const after = await openLog();
    expect(texts(await readAll(after, sequenced))).toEqual(['group 0']);
    expect([...(await after.readCompacted(compacted))]).toEqual([['a', value]]);
    const heir = await after.openWriter('stage');
    await heir.append([group(sequenced, 1), { topic: keyed, key: 'k', value }]);
    expect((await after.lastGroup(sequenced))?.seq).toBe(1);
    const kept = (await Promise.all([0, 1, 2].map((p) => after.readKeyed(keyed, p, 0n, 10)))).flat();
    expect(kept.map((r) => r.offset)).toEqual([0n, 1n]);
  });

  test('a process that was killed while it read does not make the file grow for good', async () => {
    const topic = freshTopic('compacted');
    const log = await openLog();
    await log.ensureTopics([topic]);
    const writer = await log.openWriter('stage');
    const write = async (times: number): Promise<number> => {
      for (let n = 0; n < times; n++) await writer.append([{ topic, key: 'a', value: Buffer.alloc(2_000, n) }]);
      return statSync(join(dir, 'data.mdb')).size;
    };
    await write(300);
    const reading = `const root = require('lmdb').open({ path: process.argv[1], maxDbs: 4096, encoding: 'binary' });
      root.get('none'); process.send('reading'); for (;;);`;
    const child = spawn(process.execPath, ['-e', reading, dir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const met = await write(600);
    expect(await write(1_000)).toBe(met);
  });

  test('a full disk ends the writer with disk_full, and nothing acknowledged is lost', async () => {
    const script = await buildChild();
    const [left, right] = [freshTopic(), freshTopic()];
    const args: ChildArguments = { dir, left, right, writerId: left.name };
    const child = spawn('bash', [
      '-c',
      'ulimit -f 8000; exec "$@"',
      'limited',
      process.execPath,
      script,
      JSON.stringify(args),
    ]);
    let [out, errors] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(errors).toContain("code: 'disk_full'");
    expect(status).not.toBe(0);
    const acknowledged = Number(/acknowledged (\d+)\n$/.exec(out)![1]);
    const log = await openLog();
    const last = (await log.lastGroup(left))!.seq;
    expect(last).toBeGreaterThanOrEqual(acknowledged);
    expect((await log.lastGroup(right))!.seq).toBe(last);
    const all = await readAll(log, left);
    expect(all.map((r) => r.seq)).toEqual(Array.from({ length: last + 1 }, (_, seq) => seq));
    for (const { seq, value } of all) expect(groupValue(seq).equals(value)).toBe(true);
    const writer = await log.openWriter(left.name);
    await writer.append([group(left, last + 1), group(right, last + 1)]);
  });

  test('a folder that cannot be opened says so', async () => {
    writeFileSync(join(dir, 'file'), 'not a folder');
    await expect(openEmbeddedLog({ dir: join(dir, 'file') })).rejects.toMatchObject({ code: 'log_failed' });
  });

  test('a writer is dead after a failure with unknown outcome', async () => {
    const topic = freshTopic();
    const log = await openLog();
    await log.ensureTopics([topic]);
    const writer = await log.openWriter('stage');
    await writer.append([group(topic, 0)]);
    const unknown = writer.append([group(topic, 1)]);
    await log.close();
    const outcome = await unknown.then(
      () => 'kept',
      () => 'failed',
    );
    await expect(writer.append([group(topic, 2)])).rejects.toMatchObject({ code: 'log_closed' });
    await expect(writer.append([group(topic, 1)])).rejects.toMatchObject({ code: 'log_closed' });
    const after = await openLog();
    // A failure leaves the outcome unknown (rule 2): the group may be there. An acknowledged one must be.
    expect(outcome === 'kept' ? [1] : [0, 1]).toContain((await after.lastGroup(topic))?.seq);
  });

  test('a group that is missing is an error to readers, and the first kept one is found', async () => {
    const topic = freshTopic();
    const before = await openLog();
    await before.ensureTopics([topic]);
    const writer = await before.openWriter('stage');
    await writer.append(Array.from({ length: 10 }, (_, seq) => group(topic, seq)));
    await before.close();
    await damage(topic, [0, 1, 2, 6]);
    const after = await openLog();
    expect((await after.firstGroup(topic))?.seq).toBe(3);
    await expect(readAll(after, topic)).rejects.toMatchObject({ code: 'log_broken' });
    await expect(readAll(after, topic, 4)).rejects.toMatchObject({ code: 'log_broken' });
    expect((await readAll(after, topic, 7)).map((r) => r.seq)).toEqual([7, 8, 9]);
  });

  async function damage(topic: TopicSpec, seqs: number[]): Promise<void> {
    const root = open({ path: dir, noSubdir: false, maxDbs: 4096, overlappingSync: false });
    const records = root.openDB<Buffer, number>({ name: `${topic.name}/0`, encoding: 'binary' });
    for (const seq of seqs) await records.remove(seq);
    await root.close();
  }

  test('keyed records expire by age, offsets are never used again, the newest record stays', async () => {
    let clock = 1_000_000;
    const topic = freshTopic('keyed', 1, 60_000);
    const log = await openLog(() => clock);
    await log.ensureTopics([topic]);
    const writer = await log.openWriter('stage');
    const put = (key: string): Promise<void> => writer.append([{ topic, key, value: Buffer.from(key) }]);
    const keys = async (): Promise<string[]> => (await log.readKeyed(topic, 0, 0n, 100)).map((r) => r.key);
    await put('a');
    clock += 50_000;
    await put('b');
    expect(await keys()).toEqual(['a', 'b']);
    clock += 20_000;
    await put('c');
    expect(await keys()).toEqual(['b', 'c']);
    clock += 1_000_000;
    await put('d');
    expect(await keys()).toEqual(['d']);
    expect((await log.readKeyed(topic, 0, 0n, 100))[0]!.offset).toBe(3n);
    await log.ensureTopics([{ ...topic, retentionMs: -1 }]);
    clock += 1_000_000;
    await put('e');
    expect(await keys()).toEqual(['d', 'e']);
  });

  test('tombstones are kept for a day and purged at a start', async () => {
    let clock = 1_000_000;
    const topic = freshTopic('compacted');
    const log = await openLog(() => clock);
    await log.ensureTopics([topic]);
    const writer = await log.openWriter('stage');
    const put = (key: string, value: Buffer | null): Promise<void> => writer.append([{ topic, key, value }]);
    await put('a', Buffer.from('1'));
    await put('a', null);
    await put('b', Buffer.from('1'));
    const keys = async (): Promise<string[]> => (await log.readKeyed(topic, 0, 0n, 100)).map((r) => r.key);
    clock += TOMBSTONE_KEPT_MS;
    await log.ensureTopics([topic]);
    expect(await keys()).toEqual(['a', 'b']);
    clock += 1;
    await log.ensureTopics([topic]);
    expect(await keys()).toEqual(['b']);
    await put('a', Buffer.from('2'));
    expect([...(await log.readCompacted(topic)).keys()].sort()).toEqual(['a', 'b']);
  });
});
