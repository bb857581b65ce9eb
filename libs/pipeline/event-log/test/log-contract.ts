import { jest } from '@jest/globals';
import { FencedError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { Append, EventLog, SequencedRecord } from '../log.js';
import { partitionOf } from '../partition.js';
import { concurrencyContract } from './log-contract-concurrency.js';
import { killContract } from './log-contract-kill.js';
import { modelContract } from './log-contract-model.js';
import { freshTopic, group, type LogHarness, never, readAll, texts } from './log-fixtures.js';

/** One contract for both adapters: what passes here may be relied on by every stage. */
export function logContract(name: string, start: () => Promise<LogHarness>): void {
  describe(`${name}: event log contract`, () => {
    let harness: LogHarness;
    let log: EventLog;

    beforeAll(async () => {
      harness = await start();
      log = await harness.open();
    });

    afterAll(async () => {
      await log?.close();
      await harness?.close();
    });

    const topicOf = async (...args: Parameters<typeof freshTopic>): Promise<TopicSpec> => {
      const topic = freshTopic(...args);
      await log.ensureTopics([topic]);
      return topic;
    };

    test('an empty topic has no groups', async () => {
      const topic = await topicOf();
      expect(await log.lastGroup(topic)).toBeNull();
      expect(await log.firstGroup(topic)).toBeNull();
      expect(await readAll(log, topic)).toEqual([]);
    });

    test('groups come back in order, once, with their bytes, in batches of the size asked for', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      for (let seq = 0; seq < 40; seq += 8) {
        await writer.append(Array.from({ length: 8 }, (_, i) => group(topic, seq + i)));
      }
      const batches: SequencedRecord[][] = [];
      for await (const batch of log.readGroups(topic, { fromSeq: 0, untilEnd: true, signal: never(), maxGroups: 7 })) {
        batches.push(batch);
      }
      expect(batches.flat().map((r) => r.seq)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      expect(texts(batches.flat())).toEqual(Array.from({ length: 40 }, (_, i) => `group ${i}`));
      expect(Math.max(...batches.map((b) => b.length))).toBeLessThanOrEqual(7);
      const bounded: number[] = [];
      const options = { fromSeq: 0, untilEnd: true, signal: never(), maxBytes: 20 };
      for await (const batch of log.readGroups(topic, options)) bounded.push(batch.length);
      expect(Math.max(...bounded)).toBeLessThanOrEqual(2);
      expect((await log.firstGroup(topic))?.seq).toBe(0);
      expect((await log.lastGroup(topic))?.seq).toBe(39);
    });

    test('a truncated topic begins where it was cut, continues where it ended and never loses its last group', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      await log.truncate(topic, 5);
      await writer.append(Array.from({ length: 20 }, (_, seq) => group(topic, seq)));
      await log.truncate(topic, 0);
      expect((await log.firstGroup(topic))?.seq).toBe(0);
      await log.truncate(topic, 12);
      expect([(await log.firstGroup(topic))?.seq, (await log.lastGroup(topic))?.seq]).toEqual([12, 19]);
      expect((await readAll(log, topic, 12)).map(({ seq }) => seq)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
      await expect(readAll(log, topic, 11)).rejects.toMatchObject({ code: 'log_broken' });
      await log.truncate(topic, 3);
      expect((await log.firstGroup(topic))?.seq).toBe(12);
      await log.truncate(topic, 1_000);
      expect(texts(await readAll(log, topic, 19))).toEqual(['group 19']);
      await writer.append([group(topic, 20)]);
      expect((await readAll(log, topic, 19)).map(({ seq }) => seq)).toEqual([19, 20]);
      await expect(log.truncate(topic, -1)).rejects.toMatchObject({ code: 'bad_truncation' });
      await expect(log.truncate(await topicOf('keyed', 1), 1)).rejects.toMatchObject({ code: 'bad_truncation' });
    });

    test('a dropped topic is gone, and begins empty when it is ensured again', async () => {
      const [topic, kept] = [await topicOf(), await topicOf()];
      const writer = await log.openWriter(topic.name);
      await writer.append([...Array.from({ length: 20 }, (_, seq) => group(topic, seq)), group(kept, 0)]);
      await log.dropTopics([topic]);
      const names = (await log.describe()).map(({ name }) => name);
      expect(names).toContain(kept.name);
      expect(names).not.toContain(topic.name);
      await log.dropTopics([topic]);
      await log.ensureTopics([topic]);
      expect(await log.lastGroup(topic)).toBeNull();
      await (await log.openWriter(topic.name)).append([group(topic, 0)]);
      expect((await readAll(log, topic, 0)).map(({ seq }) => seq)).toEqual([0]);
      expect((await log.lastGroup(kept))?.seq).toBe(0);
    });

    test('what an append acknowledged, another handle sees at once', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      const other = await harness.open();
      try {
        for (let seq = 0; seq < 20; seq++) {
          await writer.append([group(topic, seq)]);
          expect((await other.lastGroup(topic))?.seq).toBe(seq);
          expect(await readAll(other, topic, seq)).toHaveLength(1);
        }
      } finally {
        await other.close();
      }
    });

    test('an append over several topics is all or nothing', async () => {
      const [left, right] = [await topicOf(), await topicOf()];
      const [keyed, compacted] = [await topicOf('keyed', 3), await topicOf('compacted')];
      const writer = await log.openWriter(left.name);
      const value = Buffer.from('v');
      await writer.append([
        group(left, 0),
        { topic: keyed, key: 'a', value },
        group(right, 0),
        { topic: compacted, key: 'a', value },
        group(left, 1),
      ]);
      const refused = writer.append([
        { topic: keyed, key: 'b', value },
        group(left, 2),
        { topic: compacted, key: 'b', value },
        group(right, 5),
      ]);
      await expect(refused).rejects.toMatchObject({ code: 'seq_conflict', given: 5, next: 1 });
      expect((await log.lastGroup(left))?.seq).toBe(1);
      expect((await log.lastGroup(right))?.seq).toBe(0);
      expect([...(await log.readCompacted(compacted)).keys()]).toEqual(['a']);
      const partition = (key: string): number => partitionOf(Buffer.from(key), 3);
      const found = await log.readKeyed(keyed, partition('a'), 0n, 10);
      expect(found.filter((r) => r.key === 'a')).toHaveLength(1);
      expect((await log.readKeyed(keyed, partition('b'), 0n, 10)).some((r) => r.key === 'b')).toBe(false);
      await writer.append([group(right, 1), group(left, 2)]);
      expect((await log.lastGroup(left))?.seq).toBe(2);
    });

    test('a gap, a repeat and a wrong start are refused and the writer continues', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      await expect(writer.append([group(topic, 1)])).rejects.toMatchObject({ code: 'seq_conflict', next: 0 });
      await writer.append([group(topic, 0), group(topic, 1)]);
      await expect(writer.append([group(topic, 3)])).rejects.toMatchObject({ code: 'seq_conflict', next: 2 });
      await expect(writer.append([group(topic, 1)])).rejects.toMatchObject({ code: 'seq_conflict', next: 2 });
      await expect(writer.append([group(topic, 2), group(topic, 4)])).rejects.toMatchObject({ given: 4, next: 3 });
      await expect(writer.append([group(topic, 2), group(topic, 2)])).rejects.toMatchObject({ given: 2, next: 3 });
      await writer.append([group(topic, 2)]);
      expect((await readAll(log, topic)).map((r) => r.seq)).toEqual([0, 1, 2]);
    });

    test('records that do not fit their topic are refused', async () => {
      const [sequenced, keyed, compacted] = [await topicOf(), await topicOf('keyed'), await topicOf('compacted')];
      const writer = await log.openWriter(sequenced.name);
      const value = Buffer.from('v');
      const bad: Append[] = [
        { topic: sequenced, key: 'k', value },
        { topic: keyed, seq: 0, value },
        { topic: keyed, key: '', value },
        { topic: keyed, key: 'k', value: null },
        { topic: compacted, key: 'k'.repeat(1025), value },
        { topic: sequenced, seq: -1, value },
        { topic: sequenced, seq: 0.5, value },
      ];
      for (const record of bad) await expect(writer.append([record])).rejects.toMatchObject({ code: 'bad_append' });
      const unknown = [group(freshTopic(), 0), { topic: freshTopic('keyed'), key: 'k', value }];
      for (const record of unknown) {
        await expect(writer.append([record])).rejects.toMatchObject({ code: 'unknown_topic' });
      }
      await writer.append([group(sequenced, 0)]);
    });

    test('topics: unknown ones are named, ensuring twice is fine, another shape is refused', async () => {
      const topic = await topicOf('keyed', 2);
      await log.ensureTopics([topic, topic]);
      await expect(log.ensureTopics([{ ...topic, partitions: 3 }])).rejects.toMatchObject({ code: 'topic_mismatch' });
      await expect(log.ensureTopics([{ ...topic, kind: 'compacted' }])).rejects.toMatchObject({
        code: 'topic_mismatch',
      });
      await expect(log.ensureTopics([{ ...topic, name: 'no/such' }])).rejects.toMatchObject({ code: 'bad_topic' });
      await expect(log.lastGroup(freshTopic())).rejects.toMatchObject({ code: 'unknown_topic' });
      await expect(readAll(log, freshTopic())).rejects.toMatchObject({ code: 'unknown_topic' });
    });

    test('groups of any size come back whole', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      const limit = 512 * 1024;
      const sizes = [0, 1, limit - 1, limit, limit + 1, 3_000_000, 17, 2 * limit, 3_000_001];
      const bytesOf = (seq: number): Buffer => Buffer.alloc(sizes[seq]!, `${seq} of many, `);
      await writer.append(sizes.slice(0, 6).map((_, seq) => ({ topic, seq, value: bytesOf(seq) })));
      expect(bytesOf(5).equals((await log.lastGroup(topic))!.value)).toBe(true);
      for (let seq = 6; seq < sizes.length; seq++) await writer.append([{ topic, seq, value: bytesOf(seq) }]);
      const all = await readAll(log, topic);
      expect(all.map((r) => r.value.length)).toEqual(sizes);
      for (const { seq, value } of all) expect(bytesOf(seq).equals(value)).toBe(true);
      expect((await readAll(log, topic, 5))[0]!.value.length).toBe(sizes[5]);
    });

    test('a second writer of the same id fences the first, and only that id', async () => {
      const [topic, elsewhere] = [await topicOf(), await topicOf()];
      const first = await log.openWriter(`${topic.name}.stage`);
      const bystander = await log.openWriter(`${topic.name}.other`);
      await first.append([group(topic, 0)]);
      const other = await harness.open();
      try {
        const second = await other.openWriter(`${topic.name}.stage`);
        await expect(first.append([group(topic, 1, 'from the zombie')])).rejects.toBeInstanceOf(FencedError);
        await expect(first.append([group(topic, 1, 'again')])).rejects.toBeInstanceOf(FencedError);
        expect(await first.holdsLease()).toBe(false);
        expect(await second.holdsLease()).toBe(true);
        await second.append([group(topic, 1, 'from the heir')]);
        expect(texts(await readAll(log, topic))).toEqual(['group 0', 'from the heir']);
        expect(await bystander.holdsLease()).toBe(true);
        await bystander.append([group(elsewhere, 0)]);
      } finally {
        await other.close();
      }
    });

    test('a fenced writer learns it from its lease without appending', async () => {
      const topic = await topicOf();
      const first = await log.openWriter(topic.name);
      expect(await first.holdsLease()).toBe(true);
      await log.openWriter(topic.name);
      // Kafka's proof may be up to 300 ms old.
      const now = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 300);
      try {
        expect(await first.holdsLease()).toBe(false);
      } finally {
        clock.mockRestore();
      }
    });

    test('a closed writer appends nothing more', async () => {
      const topic = await topicOf();
      const writer = await log.openWriter(topic.name);
      await writer.append([group(topic, 0)]);
      await writer.close();
      await expect(writer.append([group(topic, 1)])).rejects.toMatchObject({ code: 'writer_closed' });
      expect((await log.lastGroup(topic))?.seq).toBe(0);
    });

    test('a compacted topic gives the newest value of each key; a tombstone removes it', async () => {
      const topic = await topicOf('compacted', 2);
      const writer = await log.openWriter(topic.name);
      const put = (key: string, text: string | null): Append => ({
        topic,
        key,
        value: text === null ? null : Buffer.from(text),
      });
      await writer.append([put('a', '1'), put('b', '1'), put('ключ', '1'), put('a', '2')]);
      await writer.append([put('b', null), put('a', '3'), put('c', '')]);
      const newest = async (): Promise<Record<string, string>> =>
        Object.fromEntries([...(await log.readCompacted(topic))].map(([k, v]) => [k, Buffer.from(v).toString()]));
      expect(await newest()).toEqual({ a: '3', ключ: '1', c: '' });
      await writer.append([put('b', '2'), put('c', null), put('never there', null)]);
      expect(await newest()).toEqual({ a: '3', ключ: '1', b: '2' });
      const tombstones = [...(await log.readKeyed(topic, 0, 0n, 100)), ...(await log.readKeyed(topic, 1, 0n, 100))];
      expect(tombstones.filter((r) => r.value === null).map((r) => r.key)).toContain('c');
    });

    test('a keyed topic keeps the order of each key, and offsets are where to go on', async () => {
      const topic = await topicOf('keyed', 4);
      const writer = await log.openWriter(topic.name);
      const before = Date.now();
      for (let round = 0; round < 5; round++) {
        const records = Array.from({ length: 30 }, (_, i) => `${round}:${i}`);
        await writer.append(records.map((text, i) => ({ topic, key: `key ${i}`, value: Buffer.from(text) })));
      }
      let count = 0;
      for (let partition = 0; partition < 4; partition++) {
        const whole = await log.readKeyed(topic, partition, 0n, 1_000);
        const paged = [];
        for (let from = 0n; ; ) {
          const page = await log.readKeyed(topic, partition, from, 7);
          if (page.length === 0) break;
          expect(page.length).toBeLessThanOrEqual(7);
          paged.push(...page);
          from = page.at(-1)!.offset + 1n;
        }
        expect(paged).toEqual(whole);
        count += whole.length;
        const rounds = new Map<string, number>();
        for (const { key, value, timestamp, offset, partition: at } of whole) {
          expect(at).toBe(partition);
          expect(partitionOf(Buffer.from(key), 4)).toBe(partition);
          const round = Number(Buffer.from(value!).toString().split(':')[0]);
          expect(round).toBe((rounds.get(key) ?? -1) + 1);
          rounds.set(key, round);
          expect(timestamp).toBeGreaterThanOrEqual(before - 1);
          expect(timestamp).toBeLessThanOrEqual(Date.now() + 1);
          expect(offset).toBeGreaterThanOrEqual(0n);
        }
      }
      expect(count).toBe(150);
    });

    test('describe names the topics with their ends', async () => {
      const [sequenced, keyed] = [await topicOf(), await topicOf('keyed', 2)];
      const writer = await log.openWriter(sequenced.name);
      await writer.append([group(sequenced, 0), group(sequenced, 1), group(sequenced, 2)]);
      await writer.append([{ topic: keyed, key: 'k', value: Buffer.from('v') }]);
      const other = await harness.open();
      try {
        const described = await other.describe();
        const state = described.find((t) => t.name === sequenced.name)!;
        expect(state.partitions).toMatchObject([{ partition: 0, records: 3, firstSeq: 0, lastSeq: 2 }]);
        const keyedState = described.find((t) => t.name === keyed.name)!;
        expect(keyedState.partitions).toHaveLength(2);
        expect(keyedState.partitions.every((p) => p.firstSeq === null && p.lastSeq === null)).toBe(true);
        expect(keyedState.partitions.reduce((sum, p) => sum + p.records, 0)).toBeGreaterThanOrEqual(1);
        expect(described.map((t) => t.name)).toEqual(described.map((t) => t.name).sort());
      } finally {
        await other.close();
      }
    });

    concurrencyContract(() => ({ harness, log }));
    modelContract(() => ({ harness, log }));
    killContract(() => ({ harness, log }));
  });
}
