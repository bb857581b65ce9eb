import type { TopicSpec } from '#libs/protocol/topics.js';
import type { Append, EventLog, SequencedRecord } from '../log.js';

/** What the contract needs to know of an adapter. */
export interface LogHarness {
  /** Another handle on the same log, as another process would have it. The contract closes it. */
  open(): Promise<EventLog>;
  /** Where a child process finds the log. */
  childArguments(): { dir?: string; brokers?: string[] };
  close(): Promise<void>;
}

let names = 0;

/** A topic that was never used before. */
export function freshTopic(kind: TopicSpec['kind'] = 'sequenced', partitions = 1, retentionMs = -1): TopicSpec {
  names++;
  return { name: `test-${process.pid}-${Date.now().toString(36)}-${names}`, kind, partitions, retentionMs };
}

export const never = (): AbortSignal => new AbortController().signal;

export async function readAll(log: EventLog, topic: TopicSpec, fromSeq = 0): Promise<SequencedRecord[]> {
  const all: SequencedRecord[] = [];
  for await (const batch of log.readGroups(topic, { fromSeq, untilEnd: true, signal: never() })) all.push(...batch);
  return all;
}

export const group = (topic: TopicSpec, seq: number, text = `group ${seq}`): Append => ({
  topic,
  seq,
  value: Buffer.from(text),
});

export const texts = (records: SequencedRecord[]): string[] => records.map((r) => Buffer.from(r.value).toString());
