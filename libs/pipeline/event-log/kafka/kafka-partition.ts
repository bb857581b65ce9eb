import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { TidepoolError } from '#libs/core/errors.js';
import { closedLog, unknownTopic } from '../append-rules.js';
import { answeredWithin, NoAnswerError } from './answer-limit.js';
import {
  createCluster,
  type FetchedPartition,
  type KafkaBrokerConnection,
  type KafkaCluster,
  kafkaErrorType,
  kafkaFailure,
  leave,
  READ_COMMITTED,
  READ_UNCOMMITTED,
} from './kafka-client.js';

export interface KafkaRecord {
  offset: number;
  key: Buffer | null;
  value: Buffer | null;
  timestamp: number;
}

export interface Fetched {
  /** Committed records in offset order, without markers and aborted records. */
  records: KafkaRecord[];
  /** Where the next fetch starts. */
  next: number;
}

/** The offset asked for is no longer, or not yet, in the partition. */
export class OffsetOutOfRangeError extends TidepoolError {
  constructor(topic: string, offset: number) {
    super('offset_out_of_range', `${topic}: offset ${offset} is not in the partition`);
  }
}

/** Longer than the client itself waits for an answer. */
const ANSWER_MS = 30_000;
const FIRST_BACKOFF_MS = 20;
const MAX_BACKOFF_MS = 1_000;
const EARLIEST = '-2';
const LATEST = '-1';

/**
 * Reads partitions by offset, read_committed, without consumer groups. One connection to each broker, used for one
 * request at a time: a reader that waits at the end has its own. Any transport failure or stale metadata drops the
 * connection and is retried, for ever while a reader waits, up to `patienceMs` otherwise.
 */
export class KafkaPartitionReader {
  private cluster: KafkaCluster | null = null;
  private closed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly notice: (message: string) => void,
    private readonly patienceMs = 60_000,
  ) {}

  fetch(topic: string, partition: number, offset: number, options: FetchOptions): Promise<Fetched> {
    const request = {
      isolationLevel: READ_COMMITTED,
      maxWaitTime: options.maxWaitMs,
      minBytes: 1,
      maxBytes: options.maxBytes,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes: options.maxBytes }] }],
    };
    return this.retrying(topic, partition, options.signal, async (broker) => {
      try {
        const { responses } = await broker.fetch(request);
        const fetched = responses[0]?.partitions[0];
        return fetched ? committedRecords(fetched, offset) : { records: [], next: offset };
      } catch (error) {
        if (kafkaErrorType(error) === 'OFFSET_OUT_OF_RANGE') throw new OffsetOutOfRangeError(topic, offset);
        throw error;
      }
    });
  }

  /** First kept offset. */
  start(topic: string, partition: number): Promise<number> {
    return this.offset(topic, partition, EARLIEST, READ_UNCOMMITTED);
  }

  /** End of everything written, open transactions included. */
  high(topic: string, partition: number): Promise<number> {
    return this.offset(topic, partition, LATEST, READ_UNCOMMITTED);
  }

  /**
   * The end of the partition at the time of the call, once every transaction below it is decided. Commit markers are
   * written after the commit was answered, so only this end surely covers each append that had resolved before.
   */
  async decidedEnd(topic: string, partition: number): Promise<number> {
    const high = await this.high(topic, partition);
    const deadline = performance.now() + this.patienceMs;
    for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
      if ((await this.offset(topic, partition, LATEST, READ_COMMITTED)) >= high) return high;
      if (performance.now() > deadline) {
        throw new TidepoolError('log_failed', `${topic}: a transaction stays open below offset ${high}`);
      }
      await sleep(pause);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.drop();
  }

  private offset(topic: string, partition: number, timestamp: string, isolationLevel: number): Promise<number> {
    const request = { replicaId: -1, isolationLevel, topics: [{ topic, partitions: [{ partition, timestamp }] }] };
    return this.retrying(topic, partition, undefined, async (broker) => {
      const { responses } = await broker.listOffsets(request);
      return Number(responses[0]!.partitions[0]!.offset);
    });
  }

  private async retrying<T>(
    topic: string,
    partition: number,
    signal: AbortSignal | undefined,
    action: (broker: KafkaBrokerConnection) => Promise<T>,
  ): Promise<T> {
    const deadline = signal ? Number.POSITIVE_INFINITY : performance.now() + this.patienceMs;
    for (let pause = FIRST_BACKOFF_MS; ; pause = Math.min(pause * 2, MAX_BACKOFF_MS)) {
      if (this.closed) throw closedLog();
      signal?.throwIfAborted();
      try {
        const answer = this.leader(topic, partition).then(action);
        return await answeredWithin(ANSWER_MS, `${topic}/${partition}`, answer);
      } catch (error) {
        if (this.closed) throw closedLog();
        if (error instanceof TidepoolError && !(error instanceof NoAnswerError)) throw error;
        await this.drop();
        if (performance.now() > deadline) throw kafkaFailure(`${topic}/${partition} cannot be read`, error);
        this.notice(`${topic}/${partition}: ${(error as Error).message}; trying again`);
        await sleep(pause);
      }
    }
  }

  private async leader(topic: string, partition: number): Promise<KafkaBrokerConnection> {
    const fresh = this.cluster === null;
    if (!this.cluster) {
      const cluster = createCluster(this.kafka);
      this.cluster = cluster;
      await cluster.connect();
    }
    const { cluster } = this;
    try {
      await cluster.addTargetTopic(topic);
    } catch (error) {
      if (kafkaErrorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
      if (fresh) throw unknownTopic(topic);
      // The broker refuses the whole question when another topic that this connection knew is gone.
      await this.drop();
      return this.leader(topic, partition);
    }
    const nodeId = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))[0];
    if (nodeId === undefined) throw new Error(`no leader of ${topic}/${partition} is known`);
    return cluster.findBroker({ nodeId });
  }

  private async drop(): Promise<void> {
    const { cluster } = this;
    this.cluster = null;
    if (cluster !== null) await leave(cluster, this.notice);
  }
}

export interface FetchOptions {
  maxBytes: number;
  maxWaitMs: number;
  /** With a signal failures are retried until it aborts. */
  signal?: AbortSignal;
}

/**
 * Drops control records and the records of aborted transactions. kafkajs' own filter takes one aborted transaction per
 * record and loses count when two producers' transactions overlap; it also jumps to the end over batches that
 * compaction emptied. Here such a fetch moves on by one offset.
 */
export function committedRecords(fetched: FetchedPartition, from: number): Fetched {
  const aborted = (fetched.abortedTransactions ?? [])
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset: Number(firstOffset) }))
    .sort((a, b) => a.firstOffset - b.firstOffset);
  const open = new Set<string>();
  const records: KafkaRecord[] = [];
  let nextAborted = 0;
  let next = from;
  for (const message of fetched.messages) {
    const offset = Number(message.offset);
    while (nextAborted < aborted.length && aborted[nextAborted]!.firstOffset <= offset) {
      open.add(aborted[nextAborted++]!.producerId);
    }
    const { producerId, inTransaction } = message.batchContext;
    if (message.isControlRecord) open.delete(producerId);
    if (offset < from) continue;
    next = offset + 1;
    if (message.isControlRecord || (inTransaction && open.has(producerId))) continue;
    records.push({ offset, key: message.key, value: message.value, timestamp: Number(message.timestamp) });
  }
  if (next === from && Number(fetched.lastStableOffset) > from) next = from + 1;
  return { records, next };
}
