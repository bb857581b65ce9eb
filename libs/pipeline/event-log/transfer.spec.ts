import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describeWithKafka, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { groupValue } from '#libs/devkit/testing/log-groups.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { openEmbeddedLog } from './embedded/embedded-log.js';
import { openKafkaLog } from './kafka/kafka-log.js';
import type { EventLog } from './log.js';
import { freshTopic, group, readAll } from './test/log-fixtures.js';
import { exportTopic, importTopic, type TransferProgress } from './transfer.js';

async function exported(log: EventLog, topic: TopicSpec): Promise<Buffer> {
  const target = new PassThrough();
  const [bytes] = await Promise.all([buffer(target), exportTopic(log, topic, target)]);
  return bytes;
}

async function fill(log: EventLog, topic: TopicSpec, count: number): Promise<void> {
  await log.ensureTopics([topic]);
  const writer = await log.openWriter(topic.name);
  for (let seq = 0; seq < count; seq += 50) {
    const seqs = Array.from({ length: Math.min(50, count - seq) }, (_, i) => seq + i);
    await writer.append(seqs.map((at) => ({ topic, seq: at, value: groupValue(at) })));
  }
  await writer.close();
}

async function expectSameGroups(log: EventLog, topic: TopicSpec, count: number): Promise<void> {
  const all = await readAll(log, topic);
  expect(all.map((r) => r.seq)).toEqual(Array.from({ length: count }, (_, seq) => seq));
  for (const { seq, value } of all) expect(groupValue(seq).equals(value)).toBe(true);
}

describe('export and import of topics', () => {
  let dir: string;
  let log: EventLog;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-transfer-'));
    log = await openEmbeddedLog({ dir });
  });

  afterAll(async () => {
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('groups come back the same, with progress on the way', async () => {
    const [from, to] = [freshTopic(), freshTopic()];
    await fill(log, from, 330);
    const target = new PassThrough();
    const [out, into]: TransferProgress[][] = [[], []];
    const [bytes, total] = await Promise.all([
      buffer(target),
      exportTopic(log, from, target, { onProgress: (p) => out!.push(p) }),
    ]);
    const done = await importTopic(log, to, Readable.from([bytes]), { onProgress: (p) => into!.push(p) });
    await expectSameGroups(log, to, 330);
    const size = Array.from({ length: 330 }, (_, seq) => groupValue(seq).length).reduce((a, b) => a + b);
    for (const progress of [total, done, out!.at(-1), into!.at(-1)])
      expect(progress).toEqual({ records: 330, bytes: size });
    expect(into!.length).toBeGreaterThan(1);
    const writer = await log.openWriter('stage');
    await writer.append([group(to, 330)]);
  });

  test('an empty topic can be exported and imported', async () => {
    const [from, to] = [freshTopic(), freshTopic()];
    await log.ensureTopics([from]);
    expect(await importTopic(log, to, Readable.from([await exported(log, from)]))).toEqual({ records: 0, bytes: 0 });
    expect(await log.lastGroup(to)).toBeNull();
  });

  test('keyed and compacted topics keep keys, values, order and tombstones', async () => {
    const [from, to] = [freshTopic('keyed', 3), freshTopic('keyed', 3)];
    const [latest, restored] = [freshTopic('compacted'), freshTopic('compacted')];
    await log.ensureTopics([from, latest]);
    const writer = await log.openWriter('keyed');
    for (let i = 0; i < 2_500; i++) {
      await writer.append([
        { topic: from, key: `k${i % 17}`, value: Buffer.from(`${i}`) },
        { topic: latest, key: `k${i % 17}`, value: i % 5 === 0 ? null : Buffer.from(`${i}`) },
      ]);
    }
    await importTopic(log, to, Readable.from([await exported(log, from)]));
    await importTopic(log, restored, Readable.from([await exported(log, latest)]));
    for (let partition = 0; partition < 3; partition++) {
      const [was, is] = await Promise.all([from, to].map((t) => log.readKeyed(t, partition, 0n, 10_000)));
      expect(is!.map((r) => [r.key, `${r.value}`])).toEqual(was!.map((r) => [r.key, `${r.value}`]));
    }
    const texts = async (topic: TopicSpec): Promise<unknown> =>
      Object.fromEntries([...(await log.readCompacted(topic))].map(([k, v]) => [k, `${v}`]));
    expect(await texts(restored)).toEqual(await texts(latest));
    const tombstones = (await log.readKeyed(restored, 0, 0n, 100)).filter((r) => r.value === null);
    expect(tombstones.length).toBeGreaterThan(0);
  });

  test('a topic that has records is not touched, and another kind is refused', async () => {
    const [from, used] = [freshTopic(), freshTopic()];
    await fill(log, from, 3);
    await fill(log, used, 1);
    const bytes = await exported(log, from);
    await expect(importTopic(log, used, Readable.from([bytes]))).rejects.toMatchObject({ code: 'topic_not_empty' });
    expect((await log.lastGroup(used))?.seq).toBe(0);
    const keyed = freshTopic('keyed');
    await expect(importTopic(log, keyed, Readable.from([bytes]))).rejects.toMatchObject({ code: 'bad_export' });
  });

  test('a file that is cut, altered, extended or something else is refused as such', async () => {
    const from = freshTopic();
    await fill(log, from, 120);
    const bytes = await exported(log, from);
    const plain = gunzipSync(bytes);
    const refused = async (file: Buffer): Promise<void> => {
      await expect(importTopic(log, freshTopic(), Readable.from([file]))).rejects.toMatchObject({ code: 'bad_export' });
    };
    await refused(Buffer.from('nothing of the kind'));
    await refused(Buffer.alloc(0));
    await refused(gzipSync('nothing of the kind'));
    await refused(bytes.subarray(0, bytes.length - 20));
    await refused(gzipSync(plain.subarray(0, plain.length - 48)));
    await refused(gzipSync(Buffer.concat([plain, Buffer.from('more')])));
    await refused(gzipSync(Buffer.concat([plain.subarray(0, 7), Buffer.from([2]), plain.subarray(8)])));
    await withSeed('altered exports', async (random) => {
      for (let i = 0; i < scaled(200); i++) {
        const altered = Buffer.from(plain);
        altered[random.below(altered.length)]! ^= 1 << random.below(8);
        await refused(gzipSync(altered, { level: 1 }));
        await refused(gzipSync(plain.subarray(0, random.below(plain.length)), { level: 1 }));
      }
    });
  });

  test('an abort ends an export', async () => {
    const from = freshTopic();
    await fill(log, from, 120);
    const abort = new AbortController();
    const target = new PassThrough({ highWaterMark: 1 });
    const outcome = expect(exportTopic(log, from, target, { signal: abort.signal })).rejects.toThrow(/abort/i);
    abort.abort();
    await outcome;
  });

  describeWithKafka('between the two logs (long)', () => {
    test('from lmdb to Kafka and back', async () => {
      const broker = await startKafkaBroker();
      const kafka = await openKafkaLog({ brokers: broker.brokers, clientId: 'transfer' });
      try {
        const [there, back] = [freshTopic(), freshTopic()];
        await fill(log, there, 230);
        const first = await exported(log, there);
        await importTopic(kafka, there, Readable.from([first]));
        await expectSameGroups(kafka, there, 230);
        const second = await exported(kafka, there);
        expect(gunzipSync(second).equals(gunzipSync(first))).toBe(true);
        await importTopic(log, back, Readable.from([second]));
        await expectSameGroups(log, back, 230);
      } finally {
        await kafka.close();
        await broker.stop();
      }
    });
  });
});
