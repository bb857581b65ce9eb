import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noSteps } from '#libs/core/steps.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { epochsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { type SequencedValue, SequencedWriter } from './sequenced-writer.js';
import { type AppendFate, lossyLog } from './source/test/lossy-log.js';

const topic: TopicSpec = { name: 'blocks.eth.e1', kind: 'sequenced', partitions: 1, retentionMs: -1 };
const value = (seq: number, text = `group ${seq}`): SequencedValue => ({
  seq,
  value: Buffer.from(text),
  alsoAppend: [],
});

let dir: string;
let log: EventLog;
let fates: AppendFate[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-writer-'));
  log = await openEmbeddedLog({ dir });
  await log.ensureTopics([topic, epochsTopic]);
  fates = [];
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

function writerOn(steps = noSteps): SequencedWriter {
  return new SequencedWriter(
    lossyLog(log, () => fates.shift() ?? 'done'),
    'source',
    topic,
    steps,
    'source',
  );
}

async function held(): Promise<string[]> {
  const found: string[] = [];
  const { signal } = new AbortController();
  for await (const batch of log.readGroups(topic, { fromSeq: 0, signal, untilEnd: true })) {
    for (const record of batch) found.push(Buffer.from(record.value).toString());
  }
  return found;
}

describe('sequenced writer', () => {
  it.each(['lost-before', 'lost-after'] as const)('an append whose answer is %s is there once', async (fate) => {
    const writer = writerOn();
    expect(await writer.open()).toBe(-1);
    fates = [fate];
    await writer.append([value(0), value(1)]);
    expect(writer.lastSeq).toBe(1);
    await writer.append([value(2)]);
    expect(await held()).toEqual(['group 0', 'group 1', 'group 2']);
    expect(await writerOn().open()).toBe(2);
  });

  it('does not take another writer for itself: the same seqs with other bytes are not its append', async () => {
    const writer = writerOn();
    await writer.open();
    await writer.append([value(0)]);
    const other = writerOn();
    await other.open();
    await other.append([value(1, 'of the other')]);
    fates = ['lost-before'];
    await expect(writer.append([value(1)])).rejects.toMatchObject({ code: 'unknown_outcome' });
    await expect(writer.append([value(1)])).rejects.toMatchObject({ code: 'unknown_outcome' });
    expect(await held()).toEqual(['group 0', 'of the other']);
  });

  it('gives up after a second failure, and the next writer goes on from what is there', async () => {
    const writer = writerOn();
    await writer.open();
    fates = ['lost-before', 'lost-after'];
    await expect(writer.append([value(0)])).rejects.toMatchObject({ code: 'unknown_outcome' });
    await expect(writer.append([value(0)])).rejects.toMatchObject({ code: 'unknown_outcome' });
    const next = writerOn();
    expect(await next.open()).toBe(0);
    await next.append([value(1)]);
    expect(await held()).toEqual(['group 0', 'group 1']);
  });

  it('is fenced by a later one, refuses a gap, and needs to be opened', async () => {
    const writer = writerOn();
    await expect(writer.append([value(0)])).rejects.toMatchObject({ code: 'unknown_outcome' });
    await writer.open();
    await expect(writer.append([value(1)])).rejects.toMatchObject({ code: 'log_broken' });
    const later = writerOn();
    await later.open();
    await expect(writer.append([value(0)])).rejects.toMatchObject({ code: 'fenced' });
    await later.append([value(0)]);
    expect(await held()).toEqual(['group 0']);
  });

  it('a record of a keyed topic under its fence is not repeated when its outcome is unknown', async () => {
    const writer = writerOn();
    await writer.open();
    const record = { topic: epochsTopic, key: 'eth', value: Buffer.from('{}') };
    fates = ['lost-after'];
    await expect(writer.appendKeyed([record])).rejects.toMatchObject({ code: 'unknown_outcome' });
    await expect(writer.appendKeyed([record])).rejects.toMatchObject({ code: 'unknown_outcome' });
    expect((await log.readKeyed(epochsTopic, 0, 0n, 10)).length).toBe(1);
  });
});
