import { randomBytes } from 'node:crypto';
import type { Kafka, Message, Producer, Transaction } from 'kafkajs';
import { FencedError, TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkAppend, checkContinuity, isSequencedAppend } from '../append-rules.js';
import type { Append, LogWriter } from '../log.js';
import { partitionOf } from '../partition.js';
import { answeredWithin } from './answer-limit.js';
import { encodeChunks } from './kafka-chunk.js';
import { isFenced, kafkaFailure, leave } from './kafka-client.js';

/** Where lease heartbeats go: key = writer id, value = token of its newest writer. */
export const leasesTopic: TopicSpec = { name: 'writer-leases', kind: 'compacted', partitions: 1, retentionMs: -1 };

const TRANSACTION_TIMEOUT_MS = 10_000;
/** Longer than the client itself repeats a request. */
const ANSWER_MS = 60_000;
/** A lease that was proven this recently is not asked for again. */
const LEASE_PROOF_MS = 300;
/** Messages of one partition in one request make one batch: it stays well below max.message.bytes. */
const BATCH_BYTES = 1024 * 1024;
const REQUEST_BYTES = 8 * 1024 * 1024;

type RoutedMessage = Message & { partition: number; topic: string; bytes: number };

/** Last seq of a sequenced topic, null when it is empty or keyed; rejects when the topic does not exist. */
export type TopicEnd = (topic: TopicSpec) => Promise<number | null>;

/** Fences the current holder of the writer id: initTransactions with its transactional id (rules 1 and 3). */
export async function openKafkaWriter(kafka: Kafka, writerId: string, topicEnd: TopicEnd): Promise<LogWriter> {
  const producer = kafka.producer({
    transactionalId: writerId,
    transactionTimeout: TRANSACTION_TIMEOUT_MS,
    maxInFlightRequests: 1,
    // Right after a commit the coordinator refuses the next transaction for some milliseconds: ask again soon.
    retry: { initialRetryTime: 4, maxRetryTime: 500, multiplier: 1.6, retries: 20 },
    allowAutoTopicCreation: false,
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition!,
  });
  const fence = async (): Promise<void> => {
    await producer.connect();
    const first = await producer.transaction();
    await first.abort();
  };
  try {
    await answeredWithin(ANSWER_MS, writerId, fence());
    return new KafkaWriter(producer, writerId, topicEnd);
  } catch (error) {
    await leave(producer);
    throw kafkaFailure(`writer ${writerId} cannot be opened`, error);
  }
}

/**
 * One transaction an append, appends one after another. The next seq of a topic is read from the log once, under the
 * fence, and counted from then on, so an append that does not continue its topic is refused here. After a failure with
 * unknown outcome the writer is dead (rule 2).
 *
 * holdsLease: every committed transaction proves that the broker knows no newer producer for this id. When the last
 * proof is older than 300 ms the writer commits a small record to a compacted topic. The transaction coordinator itself
 * refuses a fenced writer, so no second source can disagree. The answer is at most 300 ms old.
 */
class KafkaWriter implements LogWriter {
  private readonly token = randomBytes(8);
  /** Topics seen so far; for keyed ones the number has no meaning. */
  private readonly nextSeq = new Map<string, number>();
  private queue: Promise<unknown> = Promise.resolve();
  private dead: TidepoolError | null = null;
  private proof = clocks();

  constructor(
    private readonly producer: Producer,
    readonly writerId: string,
    private readonly topicEnd: TopicEnd,
  ) {}

  append(records: Append[]): Promise<void> {
    return this.exclusively(async () => {
      for (const record of records) checkAppend(record);
      if (records.length === 0) return;
      await this.learnTopics(records);
      const next = await this.checkSeqs(records);
      await this.commit(records);
      for (const [topic, seq] of next) this.nextSeq.set(topic, seq);
    });
  }

  holdsLease(): Promise<boolean> {
    if (this.dead instanceof FencedError) return Promise.resolve(false);
    return this.exclusively(async () => {
      if (elapsedSince(this.proof) < LEASE_PROOF_MS) return true;
      await this.proveLease();
      return true;
    }).catch((error: unknown) => {
      if (error instanceof FencedError) return false;
      throw error;
    });
  }

  async close(): Promise<void> {
    await this.queue;
    this.dead ??= new TidepoolError('writer_closed', `writer ${this.writerId} was closed`);
    await leave(this.producer);
  }

  private exclusively<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.queue.then(() => {
      if (this.dead) throw this.dead;
      return action();
    });
    this.queue = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  private async learnTopics(records: Append[]): Promise<void> {
    for (const { topic } of records) {
      if (!this.nextSeq.has(topic.name)) this.nextSeq.set(topic.name, ((await this.topicEnd(topic)) ?? -1) + 1);
    }
  }

  /**
   * A writer that was fenced counts from a stale seq: before it reports a wrong seq of the caller it checks its lease.
   */
  private async checkSeqs(records: Append[]): Promise<Map<string, number>> {
    try {
      return checkContinuity(records, (topic) => this.nextSeq.get(topic)!);
    } catch (error) {
      await this.proveLease();
      throw error;
    }
  }

  private proveLease(): Promise<void> {
    return this.commit([{ topic: leasesTopic, key: this.writerId, value: this.token }]);
  }

  private async commit(records: Append[]): Promise<void> {
    let transaction: Transaction | null = null;
    let ending = false;
    try {
      transaction = await this.answered(this.producer.transaction());
      for (const request of requestsOf(records, this.token)) {
        await this.answered(transaction.sendBatch({ acks: -1, topicMessages: request }));
      }
      ending = true;
      await this.answered(transaction.commit());
      this.proof = clocks();
    } catch (error) {
      this.dead = isFenced(error)
        ? new FencedError(this.writerId)
        : kafkaFailure(`an append of ${this.writerId} has an unknown outcome`, error);
      if (transaction && !ending) void this.giveUp(transaction);
      else void leave(this.producer);
      throw this.dead;
    }
  }

  private answered<T>(work: Promise<T>): Promise<T> {
    return answeredWithin(ANSWER_MS, this.writerId, work);
  }

  /**
   * Saves readers the wait for the transaction's timeout. When this fails too, the broker aborts it after ten seconds.
   */
  private async giveUp(transaction: Transaction): Promise<void> {
    await transaction.abort().catch(() => undefined);
    await leave(this.producer);
  }
}

type Request = { topic: string; messages: Message[] }[];

/** Cuts the messages of an append into requests, in order, within the limits of a batch and of a request. */
function* requestsOf(records: Append[], token: Buffer): Generator<Request> {
  let topics = new Map<string, Message[]>();
  let bytes = 0;
  let perPartition = new Map<string, number[]>();
  for (const message of messagesOf(records, token)) {
    const held = perPartition.get(message.topic)?.[message.partition] ?? 0;
    if (bytes > 0 && (held + message.bytes > BATCH_BYTES || bytes + message.bytes > REQUEST_BYTES)) {
      yield asRequest(topics);
      topics = new Map();
      perPartition = new Map();
      bytes = 0;
    }
    bytes += message.bytes;
    const sizes = perPartition.get(message.topic) ?? [];
    sizes[message.partition] = (sizes[message.partition] ?? 0) + message.bytes;
    perPartition.set(message.topic, sizes);
    const messages = topics.get(message.topic);
    if (messages) messages.push(message);
    else topics.set(message.topic, [message]);
  }
  yield asRequest(topics);
}

const asRequest = (topics: Map<string, Message[]>): Request =>
  [...topics].map(([topic, messages]) => ({ topic, messages }));

const RECORD_OVERHEAD = 64;

function* messagesOf(records: Append[], token: Buffer): Generator<RoutedMessage> {
  for (const record of records) {
    const topic = record.topic.name;
    if (isSequencedAppend(record)) {
      for (const value of encodeChunks(record.seq, token, record.value)) {
        yield { topic, partition: 0, key: null, value, bytes: value.length + RECORD_OVERHEAD };
      }
    } else {
      const key = Buffer.from(record.key);
      const value = record.value === null ? null : asBuffer(record.value);
      const bytes = key.length + (value?.length ?? 0) + RECORD_OVERHEAD;
      yield { topic, partition: partitionOf(key, record.topic.partitions), key, value, bytes };
    }
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

interface Clocks {
  wall: number;
  steady: number;
}

const clocks = (): Clocks => ({ wall: Date.now(), steady: performance.now() });

/**
 * The larger of what two clocks say: the wall clock may be set, forwards or back, and the steady one may stop while
 * the machine sleeps.
 */
const elapsedSince = ({ wall, steady }: Clocks): number =>
  Math.max(Math.abs(Date.now() - wall), performance.now() - steady);
