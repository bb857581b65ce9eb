// Room: the event log: its port, the embedded adapter (lmdb) and the one for Kafka. May import core, protocol.

import type { TopicSpec } from '#libs/protocol/topics.js';

/**
 * The event log port. Two adapters: lmdb (embedded) and Kafka. One contract suite runs against both.
 *
 * Sequenced topics: an append names the seq it believes is next; a writer that was fenced, or a seq that is not next,
 * fails and nothing is written. Values larger than the chunk limit are split and joined by the adapter; a reader only
 * ever sees complete groups (protocol rules 1-6).
 */
export interface EventLog {
  readonly kind: 'embedded' | 'kafka';
  ensureTopics(topics: TopicSpec[]): Promise<void>;
  /** Takes over the writer id and fences its current holder. One id per stage, chain and epoch. */
  openWriter(writerId: string): Promise<LogWriter>;
  /** Last complete group of a sequenced topic, or null when it is empty. */
  lastGroup(topic: TopicSpec): Promise<SequencedRecord | null>;
  /** First complete group still kept (after truncation its seq is above 0), or null. */
  firstGroup(topic: TopicSpec): Promise<SequencedRecord | null>;
  /** Groups from `fromSeq` on, in order, without gaps. Ends when the signal aborts; waits at the end of the topic. */
  readGroups(topic: TopicSpec, options: ReadGroupsOptions): AsyncIterable<SequencedRecord[]>;
  /**
   * Drops the groups of a sequenced topic below a seq, for ever. The last group always stays. The caller must check
   * that no reader still needs them: the log does not know its readers.
   */
  truncate(topic: TopicSpec, firstKeptSeq: number): Promise<void>;
  /**
   * Removes topics with all that they hold; one that is ensured again begins empty. The caller must check that no stage
   * writes or reads them any more. Topics that are not there are passed over.
   */
  dropTopics(topics: TopicSpec[]): Promise<void>;
  /** Newest value of every key of a compacted topic at the time of the call. */
  readCompacted(topic: TopicSpec): Promise<Map<string, Uint8Array>>;
  /** All records of a keyed topic's partition from an offset (inclusive) up to the end at the time of the call. */
  readKeyed(topic: TopicSpec, partition: number, fromOffset: bigint, max: number): Promise<KeyedRecord[]>;
  describe(): Promise<TopicState[]>;
  close(): Promise<void>;
}

export interface ReadGroupsOptions {
  fromSeq: number;
  signal: AbortSignal;
  /** Stop at the end that the topic has at the time of the call instead of waiting. */
  untilEnd?: boolean;
  /** Upper bound of groups in one yielded batch. */
  maxGroups?: number;
  maxBytes?: number;
}

export interface SequencedRecord {
  seq: number;
  value: Uint8Array;
}

export interface KeyedRecord {
  partition: number;
  offset: bigint;
  key: string;
  /** null is a tombstone of a compacted topic. */
  value: Uint8Array | null;
  timestamp: number;
}

export type Append =
  | { topic: TopicSpec; seq: number; value: Uint8Array }
  | { topic: TopicSpec; key: string; value: Uint8Array | null };

export interface LogWriter {
  readonly writerId: string;
  /**
   * Appends all or nothing, over any number of topics, and resolves when they are durable. Sequenced appends must come
   * in ascending seq per topic and continue it. Throws FencedError when another writer took the id. Any other failure
   * leaves the outcome unknown: open a new writer and read lastGroup before the next append (rule 2).
   */
  append(records: Append[]): Promise<void>;
  /** True while no newer writer has been seen; cheap enough to ask before every insert of a sink. */
  holdsLease(): Promise<boolean>;
  close(): Promise<void>;
}

export interface TopicState {
  name: string;
  partitions: {
    partition: number;
    records: number;
    bytes: number | null;
    firstSeq: number | null;
    lastSeq: number | null;
  }[];
}
