import type { Kafka } from 'kafkajs';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkTruncation, closedLog } from '../append-rules.js';
import type { EventLog, KeyedRecord, LogWriter, ReadGroupsOptions, SequencedRecord, TopicState } from '../log.js';
import { decodeChunk } from './kafka-chunk.js';
import { createKafka, type KafkaLogOptions } from './kafka-client.js';
import { firstGroup, lastGroup, readGroups, recordsBetween } from './kafka-groups.js';
import { KafkaPartitionReader, type KafkaRecord, OffsetOutOfRangeError } from './kafka-partition.js';
import { dropKafkaTopics, ensureKafkaTopics, listKafkaTopics } from './kafka-topics.js';
import { deleteBefore, offsetOfGroup } from './kafka-truncation.js';
import { leasesTopic, openKafkaWriter } from './kafka-writer.js';

export type { KafkaLogOptions } from './kafka-client.js';

/** The event log on Apache Kafka: transactional writers, read_committed readers that seek by seq. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  return new KafkaLog(options);
}

const KEYED_FETCH_BYTES = 1024 * 1024;

class KafkaLog implements EventLog {
  readonly kind = 'kafka';
  private readonly kafka: Kafka;
  /** Answers every call that does not wait; waiting readers have their own. */
  private readonly shared: KafkaPartitionReader;
  private readonly readers = new Set<KafkaPartitionReader>();
  private readonly writers = new Set<LogWriter>();
  private leasesEnsured: Promise<void> | null = null;
  private closed = false;

  constructor(private readonly options: KafkaLogOptions) {
    this.kafka = createKafka(options);
    this.shared = this.openReader();
  }

  async ensureTopics(topics: TopicSpec[]): Promise<void> {
    this.checkOpen();
    if (topics.length > 0) await ensureKafkaTopics(this.kafka, topics, this.options.replicationFactor);
  }

  async openWriter(writerId: string): Promise<LogWriter> {
    this.checkOpen();
    this.leasesEnsured ??= this.ensureTopics([leasesTopic]);
    try {
      await this.leasesEnsured;
    } catch (error) {
      this.leasesEnsured = null;
      throw error;
    }
    const writer = await openKafkaWriter(this.kafka, writerId, (topic) => this.topicEnd(topic));
    this.writers.add(writer);
    return writer;
  }

  lastGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    return this.reading((reader) => lastGroup(reader, topic.name));
  }

  firstGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    return this.reading((reader) => firstGroup(reader, topic.name));
  }

  async truncate(topic: TopicSpec, firstKeptSeq: number): Promise<void> {
    this.checkOpen();
    checkTruncation(topic, firstKeptSeq);
    const offset = await this.reading((reader) => offsetOfGroup(reader, topic.name, firstKeptSeq));
    if (offset !== null) await deleteBefore(this.kafka, topic.name, offset);
  }

  async dropTopics(topics: TopicSpec[]): Promise<void> {
    this.checkOpen();
    await dropKafkaTopics(
      this.kafka,
      topics.map(({ name }) => name),
    );
  }

  async *readGroups(topic: TopicSpec, options: ReadGroupsOptions): AsyncGenerator<SequencedRecord[]> {
    const reader = this.openReader();
    try {
      yield* readGroups(reader, topic.name, options);
    } finally {
      await this.closeReader(reader);
    }
  }

  readCompacted(topic: TopicSpec): Promise<Map<string, Uint8Array>> {
    return this.reading(async (reader) => {
      const newest = new Map<string, Uint8Array>();
      for (let partition = 0; partition < topic.partitions; partition++) {
        const end = await reader.decidedEnd(topic.name, partition);
        const start = await reader.start(topic.name, partition);
        for await (const record of recordsBetween(reader, topic.name, start, end, partition)) {
          const key = (record.key ?? Buffer.alloc(0)).toString();
          if (record.value === null) newest.delete(key);
          else newest.set(key, record.value);
        }
      }
      return newest;
    });
  }

  readKeyed(topic: TopicSpec, partition: number, fromOffset: bigint, max: number): Promise<KeyedRecord[]> {
    return this.reading(async (reader) => {
      const end = await reader.decidedEnd(topic.name, partition);
      const records: KeyedRecord[] = [];
      let offset = Number(fromOffset);
      while (offset < end && records.length < max) {
        try {
          const request = { maxBytes: KEYED_FETCH_BYTES, maxWaitMs: 0 };
          const fetched = await reader.fetch(topic.name, partition, offset, request);
          offset = fetched.next;
          for (const record of fetched.records) {
            if (record.offset < end && records.length < max) records.push(keyedRecord(record, partition));
          }
        } catch (error) {
          if (!(error instanceof OffsetOutOfRangeError)) throw error;
          offset = Math.max(offset + 1, await reader.start(topic.name, partition));
        }
      }
      return records;
    });
  }

  async describe(): Promise<TopicState[]> {
    this.checkOpen();
    const topics = await listKafkaTopics(this.kafka);
    return this.reading(async (reader) => {
      const states: TopicState[] = [];
      for (const { name, partitions } of topics) {
        const state: TopicState = { name, partitions: [] };
        for (let partition = 0; partition < partitions; partition++) {
          state.partitions.push(await describePartition(reader, name, partition, partitions));
        }
        states.push(state);
      }
      return states;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.readers].map((reader) => this.closeReader(reader)));
    await Promise.all([...this.writers].map((writer) => writer.close()));
    this.writers.clear();
  }

  private async topicEnd(topic: TopicSpec): Promise<number | null> {
    if (topic.kind === 'sequenced') return (await this.lastGroup(topic))?.seq ?? null;
    await this.reading((reader) => reader.start(topic.name, 0));
    return null;
  }

  private async reading<T>(action: (reader: KafkaPartitionReader) => Promise<T>): Promise<T> {
    this.checkOpen();
    return action(this.shared);
  }

  private openReader(): KafkaPartitionReader {
    this.checkOpen();
    const reader = new KafkaPartitionReader(this.kafka, (message) => this.options.onNotice?.(message));
    this.readers.add(reader);
    return reader;
  }

  private async closeReader(reader: KafkaPartitionReader): Promise<void> {
    this.readers.delete(reader);
    await reader.close();
  }

  private checkOpen(): void {
    if (this.closed) throw closedLog();
  }
}

/**
 * A sequenced topic is known by its records, so that an operator's process can describe topics whose specs it has not
 * seen. The number of records of other topics is that of offsets kept: markers and compacted records count.
 */
async function describePartition(
  reader: KafkaPartitionReader,
  topic: string,
  partition: number,
  partitions: number,
): Promise<TopicState['partitions'][number]> {
  const start = await reader.start(topic, partition);
  const high = await reader.high(topic, partition);
  const plain = { partition, records: high - start, bytes: null, firstSeq: null, lastSeq: null };
  if (partitions > 1 || high === start) return plain;
  for await (const record of recordsBetween(reader, topic, start, high)) {
    if (!decodeChunk(record.key, record.value)) return plain;
    break;
  }
  const first = await firstGroup(reader, topic);
  const last = await lastGroup(reader, topic);
  if (!first || !last) return plain;
  return { ...plain, records: last.seq - first.seq + 1, firstSeq: first.seq, lastSeq: last.seq };
}

function keyedRecord(record: KafkaRecord, partition: number): KeyedRecord {
  return {
    partition,
    offset: BigInt(record.offset),
    key: (record.key ?? Buffer.alloc(0)).toString(),
    value: record.value,
    timestamp: record.timestamp,
  };
}
