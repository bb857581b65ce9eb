import { TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { Append } from './log.js';

/**
 * What an append must satisfy before an adapter touches its store. A refusal here is certain: nothing was written and
 * the writer stays usable. Both adapters go through these checks, so they refuse the same things with the same codes.
 */
const MAX_KEY_BYTES = 1024;
/** A group above this is a mistake of the caller, not a group. */
const MAX_VALUE_BYTES = 256 * 1024 * 1024;

const TOPIC_NAME = /^[a-z0-9][a-z0-9._-]{0,199}$/;

export function checkTopicSpec(spec: TopicSpec): void {
  if (!TOPIC_NAME.test(spec.name)) throw new TidepoolError('bad_topic', `not a topic name: ${spec.name.slice(0, 220)}`);
  if (!Number.isInteger(spec.partitions) || spec.partitions < 1 || spec.partitions > 1024) {
    throw new TidepoolError('bad_topic', `${spec.name}: ${spec.partitions} partitions`);
  }
  if (spec.kind === 'sequenced' && spec.partitions !== 1) {
    throw new TidepoolError('bad_topic', `${spec.name}: a sequenced topic has one partition`);
  }
}

export interface KeyedAppend {
  topic: TopicSpec;
  key: Buffer;
  value: Uint8Array | null;
}

export interface SequencedAppend {
  topic: TopicSpec;
  seq: number;
  value: Uint8Array;
}

export function isSequencedAppend(record: Append): record is SequencedAppend {
  return 'seq' in record;
}

export function checkAppend(record: Append): void {
  const { topic } = record;
  if (record.value !== null && !ArrayBuffer.isView(record.value)) {
    throw new TidepoolError('bad_append', `${topic.name}: a value that is not bytes`);
  }
  if (record.value !== null && record.value.length > MAX_VALUE_BYTES) {
    throw new TidepoolError('bad_append', `${topic.name}: a value of ${record.value.length} bytes`);
  }
  if (isSequencedAppend(record)) {
    if (topic.kind !== 'sequenced')
      throw new TidepoolError('bad_append', `${topic.name} is ${topic.kind}: needs a key`);
    if (!Number.isSafeInteger(record.seq) || record.seq < 0) {
      throw new TidepoolError('bad_append', `${topic.name}: seq ${record.seq}`);
    }
    return;
  }
  if (topic.kind === 'sequenced') throw new TidepoolError('bad_append', `${topic.name} is sequenced: needs a seq`);
  const bytes = Buffer.byteLength(record.key);
  if (bytes === 0 || bytes > MAX_KEY_BYTES) {
    throw new TidepoolError('bad_append', `${topic.name}: a key of ${bytes} bytes (1 to ${MAX_KEY_BYTES} are allowed)`);
  }
  if (record.value === null && topic.kind !== 'compacted') {
    throw new TidepoolError('bad_append', `${topic.name} is ${topic.kind}: only a compacted topic takes a tombstone`);
  }
}

/** What dropping the beginning of a topic must satisfy before an adapter touches its store. */
export function checkTruncation(topic: TopicSpec, firstKeptSeq: number): void {
  if (topic.kind !== 'sequenced') {
    throw new TidepoolError('bad_truncation', `${topic.name} is ${topic.kind}: only a sequenced topic is truncated`);
  }
  if (!Number.isSafeInteger(firstKeptSeq) || firstKeptSeq < 0) {
    throw new TidepoolError('bad_truncation', `${topic.name}: first kept seq ${firstKeptSeq}`);
  }
}

/** The seq refused because the topic continues elsewhere. Nothing was written; the caller's knowledge is stale. */
class SeqConflictError extends TidepoolError {
  constructor(
    topic: string,
    readonly given: number,
    readonly next: number,
  ) {
    super('seq_conflict', `${topic}: seq ${given} was offered, the next one is ${next}`);
  }
}

/**
 * Checks that the sequenced records of one append continue their topics. `nextSeq` is asked once per topic; the result
 * is the next seq of every topic after the append.
 */
export function checkContinuity(records: Append[], nextSeq: (topic: string) => number): Map<string, number> {
  const next = new Map<string, number>();
  for (const record of records) {
    if (!isSequencedAppend(record)) continue;
    const { name } = record.topic;
    const expected = next.get(name) ?? nextSeq(name);
    if (record.seq !== expected) throw new SeqConflictError(name, record.seq, expected);
    next.set(name, expected + 1);
  }
  return next;
}

export function unknownTopic(name: string): TidepoolError {
  return new TidepoolError('unknown_topic', `topic ${name} does not exist: ensureTopics comes first`);
}

export function closedLog(): TidepoolError {
  return new TidepoolError('log_closed', 'the event log was closed');
}

/** An existing topic that cannot serve the spec it is asked for. */
export function topicMismatch(name: string, what: string): TidepoolError {
  return new TidepoolError('topic_mismatch', `topic ${name} exists with another ${what}`);
}
