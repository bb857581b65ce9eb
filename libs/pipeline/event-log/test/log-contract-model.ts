import { SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { Append, EventLog, LogWriter } from '../log.js';
import { freshTopic, type LogHarness, readAll } from './log-fixtures.js';

interface Model {
  groups: Map<string, Buffer[]>;
  newest: Map<string, string>;
}

/** Random appends, refusals, takeovers and reads, compared with a model that is too simple to be wrong. */
export function modelContract(context: () => { harness: LogHarness; log: EventLog }): void {
  test('random operations agree with a model', async () => {
    await withSeed('the model test', async (random) => {
      for (let history = 0; history < scaled(10); history++) await runHistory(random);
    });
  }, 300_000);

  async function runHistory(random: SeededRandom): Promise<void> {
    const { harness, log } = context();
    const sequenced = [freshTopic(), freshTopic()];
    const compacted = freshTopic('compacted');
    await log.ensureTopics([...sequenced, compacted]);
    const model: Model = { groups: new Map(sequenced.map((t) => [t.name, []])), newest: new Map() };
    const handles = [log, await harness.open()];
    const writerId = sequenced[0]!.name;
    let writer = await log.openWriter(writerId);
    const retired: LogWriter[] = [];
    try {
      for (let step = 0; step < 60; step++) {
        const choice = random.below(10);
        if (choice < 5) {
          await writer.append(apply(model, randomAppend(random, model, sequenced, compacted)));
        } else if (choice === 5) {
          const topic = random.pick(sequenced);
          const wrong = model.groups.get(topic.name)!.length + random.pick([-1, 1, 5]);
          const value = random.bytes(10);
          await expect(writer.append([{ topic, seq: wrong, value }])).rejects.toMatchObject({
            code: wrong < 0 ? 'bad_append' : 'seq_conflict',
          });
        } else if (choice === 6) {
          retired.push(writer);
          writer = await random.pick(handles).openWriter(writerId);
        } else if (choice === 7 && retired.length > 0) {
          const records = randomAppend(random, model, sequenced, compacted);
          await expect(random.pick(retired).append(records)).rejects.toMatchObject({ code: 'fenced' });
        } else {
          await checkReads(random, random.pick(handles), model, sequenced, compacted);
        }
      }
      for (const handle of handles) await checkReads(random, handle, model, sequenced, compacted);
    } finally {
      await handles[1]!.close();
    }
  }
}

function randomAppend(random: SeededRandom, model: Model, sequenced: TopicSpec[], compacted: TopicSpec): Append[] {
  const next = new Map(sequenced.map((t) => [t.name, model.groups.get(t.name)!.length]));
  return Array.from({ length: 1 + random.below(12) }, (): Append => {
    if (random.below(4) === 0) {
      const value = random.below(3) === 0 ? null : random.bytes(random.below(50));
      return { topic: compacted, key: `k${random.below(6)}`, value };
    }
    const topic = random.pick(sequenced);
    const seq = next.get(topic.name)!;
    next.set(topic.name, seq + 1);
    const length = random.below(40) === 0 ? 520_000 + random.below(600_000) : random.below(300);
    return { topic, seq, value: Buffer.alloc(length, random.bytes(16)) };
  });
}

function apply(model: Model, records: Append[]): Append[] {
  for (const record of records) {
    if ('seq' in record) model.groups.get(record.topic.name)!.push(Buffer.from(record.value));
    else if (record.value === null) model.newest.delete(record.key);
    else model.newest.set(record.key, Buffer.from(record.value).toString('hex'));
  }
  return records;
}

async function checkReads(
  random: SeededRandom,
  log: EventLog,
  model: Model,
  sequenced: TopicSpec[],
  compacted: TopicSpec,
): Promise<void> {
  const topic = random.pick(sequenced);
  const groups = model.groups.get(topic.name)!;
  const last = await log.lastGroup(topic);
  expect(last?.seq ?? -1).toBe(groups.length - 1);
  if (last) expect(groups.at(-1)!.equals(last.value)).toBe(true);
  const from = random.below(groups.length + 2);
  const seen = await readAll(log, topic, from);
  expect(seen.map((r) => r.seq)).toEqual(groups.map((_, seq) => seq).slice(from));
  for (const { seq, value } of seen) expect(groups[seq]!.equals(value)).toBe(true);
  const newest = [...(await log.readCompacted(compacted))].map(([k, v]) => [k, Buffer.from(v).toString('hex')]);
  expect(Object.fromEntries(newest)).toEqual(Object.fromEntries(model.newest));
}
