import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { TidepoolError } from '#libs/core/errors.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { groupValue } from '#libs/devkit/testing/log-groups.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { blocksTopic, type TopicSpec } from '#libs/protocol/topics.js';
import type { EventLog, LogWriter } from '../log.js';
import { freshTopic, group, readAll, texts } from '../test/log-fixtures.js';
import { abortedTransactions, produce } from '../test/raw-kafka.js';
import { encodeChunks } from './kafka-chunk.js';
import { openKafkaLog } from './kafka-log.js';
import { KafkaPartitionReader } from './kafka-partition.js';

describeWithKafka('Kafka event log: crashes, zombies, leftovers (long)', () => {
  let broker: KafkaBroker;
  let log: EventLog;
  let raw: Kafka;
  let admin: Admin;

  beforeAll(async () => {
    broker = await startKafkaBroker();
    log = await openKafkaLog({ brokers: broker.brokers, clientId: 'test' });
    raw = new kafkajs.Kafka({ brokers: broker.brokers, clientId: 'raw', logLevel: kafkajs.logLevel.NOTHING });
    admin = raw.admin();
    await admin.connect();
  });

  afterAll(async () => {
    await admin?.disconnect();
    await log?.close();
    await broker?.stop();
  });

  const topicOf = async (kind: TopicSpec['kind'] = 'sequenced'): Promise<TopicSpec> => {
    const topic = freshTopic(kind);
    await log.ensureTopics([topic]);
    return topic;
  };

  const token = (): Buffer => randomBytes(8);
  const big = Buffer.alloc(1_200_000, 'big ');

  test('topics are created to last: blocks for ever, compacted ones compacted, chunks fit', async () => {
    const blocks = blocksTopic(`test${Date.now().toString(36)}`, 1);
    const compacted = freshTopic('compacted');
    const keyed = freshTopic('keyed', 2, 7 * 86_400_000);
    await log.ensureTopics([blocks, compacted, keyed]);
    expect(await configOf(blocks)).toMatchObject({
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'cleanup.policy': 'delete',
    });
    expect(await configOf(compacted)).toMatchObject({ 'cleanup.policy': 'compact', 'retention.ms': '-1' });
    expect(await configOf(keyed)).toMatchObject({ 'retention.ms': '604800000', 'cleanup.policy': 'delete' });
    expect(Number((await configOf(blocks))['max.message.bytes'])).toBeGreaterThan(2 * 1024 * 1024);
  });

  test("an existing topic is brought to its spec and keeps the operator's other settings", async () => {
    const topic = freshTopic();
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: topic.name,
          numPartitions: 1,
          configEntries: [
            { name: 'retention.ms', value: '1000' },
            { name: 'segment.bytes', value: '7340032' },
          ],
        },
      ],
    });
    await log.ensureTopics([topic]);
    expect(await configOf(topic)).toMatchObject({
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'segment.bytes': '7340032',
      'max.message.bytes': '4194304',
    });
  });

  async function configOf(topic: TopicSpec): Promise<Record<string, string>> {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic.name }],
    });
    return Object.fromEntries(resources[0]!.configEntries.map((e) => [e.configName, e.configValue]));
  }

  test('a zombie with an open transaction is fenced: its chunks never count', async () => {
    const topic = await topicOf();
    const writerId = `${topic.name}.stage`;
    const first = await log.openWriter(writerId);
    await first.append([group(topic, 0)]);
    await first.close();
    const zombie = raw.producer({ transactionalId: writerId, maxInFlightRequests: 1, transactionTimeout: 60_000 });
    await zombie.connect();
    const open = await zombie.transaction();
    for (const value of encodeChunks(1, token(), big)) {
      await open.send({ topic: topic.name, messages: [{ key: null, value }] });
    }
    const heir = await log.openWriter(writerId);
    expect((await log.lastGroup(topic))?.seq).toBe(0);
    await heir.append([group(topic, 1, 'of the heir')]);
    await expect(open.commit()).rejects.toThrow();
    await zombie.disconnect();
    expect(texts(await readAll(log, topic))).toEqual(['group 0', 'of the heir']);
    expect((await log.lastGroup(topic))?.seq).toBe(1);
  });

  test('readers stop below a transaction that is open and go on when it ends', async () => {
    const topic = await topicOf();
    const producer = raw.producer({ transactionalId: topic.name, maxInFlightRequests: 1 });
    await producer.connect();
    const stop = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const batch of log.readGroups(topic, { fromSeq: 0, signal: stop.signal })) {
        seen.push(...batch.map((r) => r.seq));
        if (seen.length === 2) stop.abort();
      }
    })();
    const open = await producer.transaction();
    for (const seq of [0, 1]) {
      const [value] = encodeChunks(seq, token(), Buffer.from(`${seq}`));
      await open.send({ topic: topic.name, messages: [{ key: null, value: value! }] });
    }
    const fetches = jest.spyOn(KafkaPartitionReader.prototype, 'fetch');
    const looks = () => fetches.mock.calls.filter(([name]) => name === topic.name).length;
    // The first one may have begun before the groups were there, the third one begins after the second has ended.
    await until('looks at what is open', () => looks() >= 3);
    fetches.mockRestore();
    expect(seen).toEqual([]);
    await open.commit();
    await reading;
    expect(seen).toEqual([0, 1]);
    await producer.disconnect();
  });

  test('an unfinished group is discarded by what follows it', async () => {
    const topic = await topicOf();
    const [whole, cut] = [encodeChunks(0, token(), big), encodeChunks(1, token(), big)];
    await produce(raw, topic, [...whole, cut[0]!, cut[1]!]);
    expect((await log.lastGroup(topic))?.seq).toBe(0);
    expect((await readAll(log, topic)).map((r) => r.seq)).toEqual([0]);
    const writer = await log.openWriter(topic.name);
    await writer.append([{ topic, seq: 1, value: Buffer.from('finished') }, group(topic, 2)]);
    const all = await readAll(log, topic);
    expect(all.map((r) => r.seq)).toEqual([0, 1, 2]);
    expect(Buffer.from(all[1]!.value).toString()).toBe('finished');
    expect((await readAll(log, topic, 1)).map((r) => r.seq)).toEqual([1, 2]);
  });

  test('the last group is found below a long tail of aborted batches and markers', async () => {
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    await writer.append([group(topic, 0), { topic, seq: 1, value: big }]);
    await abortedTransactions(raw, topic, 60, encodeChunks(2, token(), Buffer.from('never')));
    await abortedTransactions(raw, topic, 2, encodeChunks(2, token(), big));
    const last = (await log.lastGroup(topic))!;
    expect(last.seq).toBe(1);
    expect(big.equals(last.value)).toBe(true);
    await writer.append([group(topic, 2)]);
    expect((await readAll(log, topic)).map((r) => r.seq)).toEqual([0, 1, 2]);
    expect((await readAll(log, topic, 2)).map((r) => r.seq)).toEqual([2]);
  });

  test('an aborted topic has no last group', async () => {
    const topic = await topicOf();
    await abortedTransactions(raw, topic, 20, encodeChunks(0, token(), Buffer.from('never')));
    expect(await log.lastGroup(topic)).toBeNull();
    expect(await log.firstGroup(topic)).toBeNull();
    expect(await readAll(log, topic)).toEqual([]);
    const writer = await log.openWriter(topic.name);
    await writer.append([group(topic, 0)]);
    expect((await log.lastGroup(topic))?.seq).toBe(0);
  });

  test('a repeat is ignored wherever reading starts; a gap is an error after what precedes it', async () => {
    const topic = await topicOf();
    const at = (seq: number): Buffer => encodeChunks(seq, token(), Buffer.from(`group ${seq}`))[0]!;
    const ascending = Array.from({ length: 700 }, (_, seq) => at(seq));
    const repeated = Array.from({ length: 600 }, (_, i) => at(i % 10));
    await produce(raw, topic, [...ascending, ...repeated, at(700), at(701), at(703), at(704)]);
    for (const from of [0, 5, 350, 695, 700]) {
      const seen: number[] = [];
      const reading = (async () => {
        for await (const batch of log.readGroups(topic, {
          fromSeq: from,
          untilEnd: true,
          signal: new AbortController().signal,
        })) {
          seen.push(...batch.map((r) => r.seq));
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'log_broken' });
      expect(seen).toEqual(Array.from({ length: 702 - from }, (_, i) => from + i));
    }
    expect((await readAll(log, topic, 703)).map((r) => r.seq)).toEqual([703, 704]);
  });

  test('a truncated topic starts at its first whole group and refuses to be read from below', async () => {
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    await writer.append([group(topic, 0), { topic, seq: 1, value: big }, group(topic, 2), group(topic, 3)]);
    // Offset 2 is in the middle of the chunks of group 1.
    await admin.fetchTopicOffsets(topic.name); // kafkajs deletes only where it knows the leader
    await admin.deleteTopicRecords({ topic: topic.name, partitions: [{ partition: 0, offset: '2' }] });
    expect((await log.firstGroup(topic))?.seq).toBe(2);
    await expect(readAll(log, topic)).rejects.toMatchObject({ code: 'log_broken' });
    expect((await readAll(log, topic, 2)).map((r) => r.seq)).toEqual([2, 3]);
    await writer.append([group(topic, 4)]);
    expect((await readAll(log, topic, 3)).map((r) => r.seq)).toEqual([3, 4]);
  });

  test('the broker compacts; what is left reads the same', async () => {
    const topic = freshTopic('compacted');
    const quick = {
      'cleanup.policy': 'compact',
      'segment.ms': '400',
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '500',
    };
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: topic.name,
          numPartitions: 1,
          configEntries: Object.entries(quick).map(([name, value]) => ({ name, value })),
        },
      ],
    });
    await log.ensureTopics([topic]);
    const writer = await log.openWriter(topic.name);
    const put = (key: string, text: string): Promise<void> => writer.append([{ topic, key, value: Buffer.from(text) }]);
    const kept = async (): Promise<number> => (await log.readKeyed(topic, 0, 0n, 10_000)).length;
    let written = 0;
    const isCompacted = async (): Promise<boolean> => {
      const round = written / 20;
      if (round >= 3 && (await kept()) <= written / 2) return true;
      for (let i = 0; i < 20; i++, written++) await put(`k${i % 4}`, `${round}:${i}`);
      return false;
    };
    await until('a compaction', isCompacted, { everyMs: 500 });
    const newest = await log.readCompacted(topic);
    expect([...newest.keys()].sort()).toEqual(['k0', 'k1', 'k2', 'k3']);
    for (const [key, value] of newest) {
      expect(Buffer.from(value).toString()).toBe(`${written / 20 - 1}:${16 + Number(key[1])}`);
    }
  });

  test('broker kill -9 in the middle of appends and reads: nothing acknowledged is lost, nothing is doubled', async () => {
    await withSeed('the broker kill test', async (random) => {
      const topic = await topicOf();
      const stop = new AbortController();
      const followed: number[] = [];
      const following = (async () => {
        for await (const batch of log.readGroups(topic, { fromSeq: 0, signal: stop.signal })) {
          for (const { seq, value } of batch) {
            expect(groupValue(seq).equals(value)).toBe(true);
            followed.push(seq);
          }
        }
      })();
      let acknowledged = -1;
      let unknown = 0;
      let writing = true;
      const appending = (async () => {
        let writer: LogWriter | null = null;
        let next = 0;
        while (writing) {
          try {
            if (!writer) {
              writer = await log.openWriter(topic.name);
              next = ((await log.lastGroup(topic))?.seq ?? -1) + 1;
              expect(next).toBeGreaterThan(acknowledged);
            }
            const seqs = Array.from({ length: 1 + (next % 9) }, (_, i) => next + i);
            await writer.append(seqs.map((seq) => ({ topic, seq, value: groupValue(seq) })));
            next += seqs.length;
            acknowledged = next - 1;
          } catch (error) {
            if (!(error instanceof TidepoolError) || error.code !== 'log_failed') throw error;
            if (writer) {
              unknown++;
              await expect(writer.append([group(topic, next)])).rejects.toMatchObject({ code: 'log_failed' });
            }
            writer = null;
          }
        }
      })();
      const acknowledges = (seq: number) =>
        Promise.race([appending, until(`group ${seq} is acknowledged`, () => acknowledged >= seq)]);
      for (let round = 0; round < scaled(10, 2); round++) {
        await acknowledges(acknowledged + 40 + random.below(150));
        // Counted before the kill: the append may fail while the kill is still waited for.
        const before = unknown;
        await broker.kill9();
        // Down until the client gives up, then, in other rounds, only for a moment.
        if (round % 2 === 0) await Promise.race([appending, until('a failed append', () => unknown > before)]);
        await broker.restart();
      }
      await acknowledges(acknowledged + 50);
      writing = false;
      await appending;
      await Promise.race([following, until('the last group', () => (followed.at(-1) ?? -1) >= acknowledged)]);
      stop.abort();
      await following;
      const end = (await log.lastGroup(topic))!.seq;
      expect(end).toBeGreaterThanOrEqual(acknowledged);
      expect(followed).toEqual(Array.from({ length: followed.length }, (_, seq) => seq));
      expect((await readAll(log, topic)).map((r) => r.seq)).toEqual(Array.from({ length: end + 1 }, (_, seq) => seq));
    });
  }, 300_000);

  test('without a broker a writer cannot be opened, and the error says so', async () => {
    const nowhere = await openKafkaLog({ brokers: ['127.0.0.1:1'], clientId: 'nowhere' });
    await expect(nowhere.openWriter('stage')).rejects.toMatchObject({ code: 'log_failed' });
    await nowhere.close();
  });
});
