import { until } from '#libs/devkit/testing/until.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { EventLog, SequencedRecord } from '../log.js';
import { freshTopic, group, type LogHarness, never, readAll, texts } from './log-fixtures.js';

/** Readers that wait, end, abort and start in the middle while writers append. */
export function concurrencyContract(context: () => { harness: LogHarness; log: EventLog }): void {
  const topicOf = async (): Promise<TopicSpec> => {
    const topic = freshTopic();
    await context().log.ensureTopics([topic]);
    return topic;
  };

  /** Collects what a reader yields until it has seen `count` groups, then ends it. */
  async function take(
    log: EventLog,
    topic: TopicSpec,
    fromSeq: number,
    count: number,
    seen: SequencedRecord[] = [],
  ): Promise<SequencedRecord[]> {
    for await (const batch of log.readGroups(topic, { fromSeq, signal: never() })) {
      seen.push(...batch);
      if (seen.length >= count) break;
    }
    return seen;
  }

  test('a waiting reader gets what is appended later, through its own and through another handle', async () => {
    const { harness, log } = context();
    const topic = await topicOf();
    const other = await harness.open();
    try {
      const seen: SequencedRecord[][] = [[], []];
      const readers = [log, other].map((handle, nth) => take(handle, topic, 0, 12, seen[nth]));
      const writer = await log.openWriter(topic.name);
      for (let seq = 0; seq < 12; seq++) {
        await writer.append([group(topic, seq)]);
        // From time to time both have all of it, and wait.
        if (seq % 4 === 3) await until('all of it', () => seen.every(({ length }) => length === seq + 1));
      }
      for (const seen of await Promise.all(readers)) {
        expect(texts(seen)).toEqual(Array.from({ length: 12 }, (_, i) => `group ${i}`));
      }
    } finally {
      await other.close();
    }
  });

  test('untilEnd stops at the end that the topic had when reading began', async () => {
    const { log } = context();
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    await writer.append([group(topic, 0), group(topic, 1), group(topic, 2)]);
    const seen: number[] = [];
    let next = 3;
    for await (const batch of log.readGroups(topic, { fromSeq: 0, untilEnd: true, signal: never(), maxGroups: 2 })) {
      seen.push(...batch.map((r) => r.seq));
      await writer.append([group(topic, next++)]);
    }
    expect(seen).toEqual([0, 1, 2]);
    expect((await log.lastGroup(topic))?.seq).toBe(4);
  });

  test('an abort ends a waiting reader, a reading one and one that has not begun', async () => {
    const { log } = context();
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    await writer.append([group(topic, 0), group(topic, 1)]);
    const waiting = new AbortController();
    const seen: number[] = [];
    for await (const batch of log.readGroups(topic, { fromSeq: 0, signal: waiting.signal, maxGroups: 2 })) {
      seen.push(...batch.map((r) => r.seq));
      // A question to the log takes longer than the reader's way to its next look.
      void log.lastGroup(topic).then(() => waiting.abort());
    }
    expect(seen).toEqual([0, 1]);
    const reading = new AbortController();
    const partly: number[] = [];
    for await (const batch of log.readGroups(topic, { fromSeq: 0, signal: reading.signal, maxGroups: 1 })) {
      partly.push(...batch.map((r) => r.seq));
      reading.abort();
    }
    expect(partly[0]).toBe(0);
    for await (const _ of log.readGroups(topic, { fromSeq: 0, signal: AbortSignal.abort() })) {
      throw new Error('read after the abort');
    }
  });

  test('closing the log ends its waiting readers with an error', async () => {
    const { harness } = context();
    const topic = await topicOf();
    const other = await harness.open();
    const writer = await other.openWriter(topic.name);
    await writer.append([group(topic, 0)]);
    const seen: SequencedRecord[] = [];
    const reading = take(other, topic, 0, 2, seen);
    const outcome = expect(reading).rejects.toMatchObject({ code: 'log_closed' });
    await until('a reader that waits for more', () => seen.length === 1);
    await other.lastGroup(topic);
    await other.close();
    await outcome;
    await expect(other.lastGroup(topic)).rejects.toMatchObject({ code: 'log_closed' });
    await expect(other.openWriter('late')).rejects.toMatchObject({ code: 'log_closed' });
  });

  test('reading starts anywhere in a long topic, and waits beyond its end', async () => {
    const { log } = context();
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    const total = 6_000;
    for (let seq = 0; seq < total; ) {
      const count = Math.min(total - seq, seq % 3 === 0 ? 1 : 977);
      await writer.append(Array.from({ length: count }, (_, i) => group(topic, seq + i)));
      seq += count;
    }
    for (const from of [0, 1, 2, 500, 977, 978, 3_000, 4_999, total - 2, total - 1]) {
      const seen = await readAll(log, topic, from);
      expect(seen[0]).toMatchObject({ seq: from });
      expect(Buffer.from(seen[0]!.value).toString()).toBe(`group ${from}`);
      expect(seen).toHaveLength(total - from);
    }
    expect(await readAll(log, topic, total)).toEqual([]);
    const beyond = take(log, topic, total + 2, 1);
    await writer.append([0, 1, 2, 3].map((i) => group(topic, total + i)));
    expect((await beyond)[0]!.seq).toBe(total + 2);
  });

  test('appends that were not awaited keep their order, and what follows a refused one is refused', async () => {
    const { log } = context();
    const topic = await topicOf();
    const writer = await log.openWriter(topic.name);
    await Promise.all(Array.from({ length: 20 }, (_, seq) => writer.append([group(topic, seq)])));
    const outcomes = await Promise.allSettled([20, 22, 23, 21].map((seq) => writer.append([group(topic, seq)])));
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((await readAll(log, topic)).map((r) => r.seq)).toEqual(Array.from({ length: 22 }, (_, i) => i));
  });
}
