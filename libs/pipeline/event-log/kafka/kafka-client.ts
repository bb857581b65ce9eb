import type { Kafka, KafkaConfig } from 'kafkajs';
import kafkajs from 'kafkajs';
import { TidepoolError } from '#libs/core/errors.js';
import { answeredWithin } from './answer-limit.js';

export interface KafkaLogOptions {
  brokers: string[];
  clientId: string;
  /** Of topics that ensureTopics creates; the broker's default when not given. */
  replicationFactor?: number;
  ssl?: KafkaConfig['ssl'];
  sasl?: KafkaConfig['sasl'];
  /** Receives the client's notices of reconnects and retries; they are dropped when it is not given. */
  onNotice?: (message: string) => void;
}

/**
 * The part of kafkajs' cluster object that reading needs. The public consumer only reads through consumer groups, whose
 * rebalances and coordinator are of no use here: a stage knows its position from its own state. The package is pinned
 * (2.2.4) and unmaintained, so this internal interface does not change.
 */
export interface KafkaCluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: number[]): Record<string, number[]>;
  findBroker(options: { nodeId: string }): Promise<KafkaBrokerConnection>;
}

export interface KafkaBrokerConnection {
  fetch(request: {
    isolationLevel: number;
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[];
  }): Promise<{ responses: { topicName: string; partitions: FetchedPartition[] }[] }>;
  listOffsets(request: {
    replicaId: number;
    isolationLevel: number;
    topics: { topic: string; partitions: { partition: number; timestamp: string }[] }[];
  }): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
}

export interface FetchedPartition {
  partition: number;
  highWatermark: string;
  lastStableOffset: string;
  abortedTransactions: { producerId: string; firstOffset: string }[] | null;
  messages: FetchedMessage[];
}

export interface FetchedMessage {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  timestamp: string;
  isControlRecord: boolean;
  batchContext: { producerId: string; inTransaction: boolean };
}

export const READ_UNCOMMITTED = 0;
export const READ_COMMITTED = 1;

type ClusterFactory = (options: {
  isolationLevel: number;
  allowAutoTopicCreation: boolean;
  metadataMaxAge: number;
}) => KafkaCluster;

/**
 * The broker answers so at first when a transaction follows another at once, and each failed response is logged twice.
 */
const ROUTINE = /another concurrent operation on the same transaction|^Response \w+\(key: /;

/** kafkajs reports every retriable condition of a fresh broker at ERROR: its logging goes to `onNotice` only. */
export function createKafka(options: KafkaLogOptions): Kafka {
  const notice = options.onNotice;
  return new kafkajs.Kafka({
    brokers: options.brokers,
    clientId: options.clientId,
    ssl: options.ssl,
    sasl: options.sasl,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: { initialRetryTime: 20, maxRetryTime: 1_000, retries: 10 },
    logLevel: notice ? kafkajs.logLevel.WARN : kafkajs.logLevel.NOTHING,
    logCreator: () => (entry) => {
      if (!ROUTINE.test(entry.log.message)) notice?.(`kafka ${entry.namespace}: ${entry.log.message}`);
    },
  } as KafkaConfig);
}

export function createCluster(kafka: Kafka): KafkaCluster {
  const factory = Object.getOwnPropertySymbols(kafka).find((s) => s.description === 'private:Kafka:createCluster');
  if (!factory) throw new TidepoolError('log_failed', 'this version of kafkajs is not the pinned one');
  const create = (kafka as unknown as Record<symbol, ClusterFactory>)[factory]!;
  return create({ isolationLevel: READ_COMMITTED, allowAutoTopicCreation: false, metadataMaxAge: 300_000 });
}

/** The protocol error's name, searched through the wrappers that kafkajs puts around it. */
export function kafkaErrorType(error: unknown): string | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { type } = at as { type?: unknown };
    if (typeof type === 'string' && type !== 'KAFKAJS_UNKNOWN_ERROR_CODE') return type;
    // Newer than kafkajs' table.
    if (/unknown error code:? 90\b/i.test(at.message)) return 'PRODUCER_FENCED';
  }
  return null;
}

const FENCED = new Set(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'TRANSACTION_COORDINATOR_FENCED']);

export function isFenced(error: unknown): boolean {
  const type = kafkaErrorType(error);
  return type !== null && FENCED.has(type);
}

export function kafkaFailure(what: string, error: unknown): TidepoolError {
  if (error instanceof TidepoolError) return error;
  return new TidepoolError('log_failed', `${what}: ${(error as Error).message}`, { cause: error });
}

/** kafkajs first waits for all that it asked. Where the line to the broker broke, that may be for ever. */
const DISCONNECT_MS = 5_000;

/** Leaves a client that is not used any more: the broker closes what it leaves open, by its own timeouts. */
export async function leave(
  client: { disconnect(): Promise<void> },
  notice?: (message: string) => void,
  withinMs = DISCONNECT_MS,
): Promise<void> {
  try {
    await answeredWithin(withinMs, 'disconnecting', client.disconnect());
  } catch (error) {
    notice?.(`disconnecting failed: ${(error as Error).message}`);
  }
}
