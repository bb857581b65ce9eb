import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs, { type Kafka, type Producer } from 'kafkajs';
import { open, type RootDatabase } from 'lmdb';
import { kafkaMissing, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { printTable } from './lib/table.js';

/**
 * bench/bus: both event logs compared with their raw clients, on the same data in the same run: durable appends and reads of
 * 300-byte groups. Every figure is the median of rounds in which the log and its raw client take turns.
 * Run: `node dist/bench/bus.js [groups]`.
 */
const GROUPS = Number(process.argv[2] ?? 200_000);
const BATCH = 500;
const ROUNDS = 3;
const SINGLE_LMDB = 2_000;
const SINGLE_KAFKA = 200;

const value = (i: number): Buffer =>
  Buffer.from(JSON.stringify({ i, k: `pool${i % 50}`, t: 1_700_000_000_000 + i, p: 'x'.repeat(245) }));

/** One side of a comparison: does the work and answers how many groups it was. */
type Side = () => Promise<number>;

interface Comparison {
  name: string;
  log: Side;
  raw: Side;
}

async function rate(side: Side): Promise<number> {
  const started = performance.now();
  const groups = await side();
  return (groups * 1000) / (performance.now() - started);
}

const median = (rates: number[]): number => rates.sort((a, b) => a - b)[rates.length >> 1]!;

async function compare({ name, log, raw }: Comparison): Promise<string[]> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await rate(log));
    theirs.push(await rate(raw));
  }
  const [a, b] = [median(ours), median(theirs)];
  return [name, Math.round(a).toLocaleString('en'), Math.round(b).toLocaleString('en'), (a / b).toFixed(2)];
}

/** The writing side of the port: continues where the topic ends. */
function appending(topic: TopicSpec, writer: LogWriter, values: Buffer[]): (count: number, batch: number) => Side {
  let next = 0;
  return (count, batch) => async () => {
    for (let i = 0; i < count; i += batch) {
      await writer.append(values.slice(i, i + batch).map((bytes) => ({ topic, seq: next++, value: bytes })));
    }
    return count;
  };
}

function reading(log: EventLog, topic: TopicSpec): Side {
  return async () => {
    let groups = 0;
    const signal = new AbortController().signal;
    for await (const batch of log.readGroups(topic, { fromSeq: 0, untilEnd: true, signal })) groups += batch.length;
    return groups;
  };
}

const TOPIC: TopicSpec = { name: 'facts.bench.e1.f1', kind: 'sequenced', partitions: 1, retentionMs: -1 };

async function benchEmbedded(dir: string, values: Buffer[]): Promise<string[][]> {
  const log = await openEmbeddedLog({ dir: join(dir, 'log') });
  await log.ensureTopics([TOPIC]);
  const append = appending(TOPIC, await log.openWriter('bench'), values);
  const raw = open<Buffer, number>({ path: join(dir, 'raw'), noSubdir: false, encoding: 'binary' });
  const put = rawPuts(raw, values);
  const rows = [
    await compare({ name: `lmdb append, ${BATCH} a call`, log: append(GROUPS, BATCH), raw: put(GROUPS, BATCH) }),
    await compare({ name: 'lmdb read', log: reading(log, TOPIC), raw: () => rawRange(raw) }),
    await compare({ name: 'lmdb append, one a call', log: append(SINGLE_LMDB, 1), raw: put(SINGLE_LMDB, 1) }),
  ];
  await log.close();
  await raw.close();
  return rows;
}

function rawPuts(db: RootDatabase<Buffer, number>, values: Buffer[]): (count: number, batch: number) => Side {
  let next = 0;
  return (count, batch) => async () => {
    for (let i = 0; i < count; i += batch) {
      await db.transaction(() => {
        for (const bytes of values.slice(i, i + batch)) db.putSync(next++, bytes, { append: true });
      });
      await db.flushed;
    }
    return count;
  };
}

async function rawRange(db: RootDatabase<Buffer, number>): Promise<number> {
  let groups = 0;
  for (const _ of db.getRange({})) groups++;
  return groups;
}

async function benchKafka(brokers: string[], values: Buffer[]): Promise<string[][]> {
  const log = await openKafkaLog({ brokers, clientId: 'bench' });
  const rawTopics = ['raw-transactions', 'raw-idempotent'].map((name) => ({ ...TOPIC, name }));
  await log.ensureTopics([TOPIC, ...rawTopics]);
  const append = appending(TOPIC, await log.openWriter('bench'), values);
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'raw', logLevel: kafkajs.logLevel.NOTHING });
  const transactional = await producer(kafka, 'raw');
  const idempotent = await producer(kafka);
  const transactions = rawTransactions(transactional, values);
  const read = (): Promise<number> => rawConsume(kafka, rawTopics[0]!.name);
  const rows = [
    await compare({
      name: `kafka append, ${BATCH} a call; raw: transactions`,
      log: append(GROUPS, BATCH),
      raw: transactions(GROUPS, BATCH),
    }),
    await compare({ name: 'kafka read; raw: consumer, eachBatch', log: reading(log, TOPIC), raw: read }),
    await compare({
      name: `kafka append, ${BATCH} a call; raw: idempotent, no transaction`,
      log: append(GROUPS, BATCH),
      raw: rawSends(idempotent, values),
    }),
    await compare({
      name: 'kafka append, one a call; raw: transactions',
      log: append(SINGLE_KAFKA, 1),
      raw: transactions(SINGLE_KAFKA, 1),
    }),
  ];
  await transactional.disconnect();
  await idempotent.disconnect();
  await log.close();
  return rows;
}

async function producer(kafka: Kafka, transactionalId?: string): Promise<Producer> {
  const made = kafka.producer({
    transactionalId,
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    // Without it the pause after each CONCURRENT_TRANSACTIONS answer (300 ms) is all that would be measured.
    retry: { initialRetryTime: 4, retries: 20 },
  });
  await made.connect();
  return made;
}

function rawTransactions(made: Producer, values: Buffer[]): (count: number, batch: number) => Side {
  return (count, batch) => async () => {
    for (let i = 0; i < count; i += batch) {
      const transaction = await made.transaction();
      const messages = values.slice(i, i + batch).map((bytes) => ({ key: null, value: bytes }));
      await transaction.send({ topic: 'raw-transactions', acks: -1, messages });
      await transaction.commit();
    }
    return count;
  };
}

function rawSends(made: Producer, values: Buffer[]): Side {
  return async () => {
    for (let i = 0; i < values.length; i += BATCH) {
      const messages = values.slice(i, i + BATCH).map((bytes) => ({ key: null, value: bytes }));
      await made.send({ topic: 'raw-idempotent', acks: -1, messages });
    }
    return values.length;
  };
}

/** Reads what the topic holds, as a consumer group of one: joining it is part of this client's way. */
async function rawConsume(kafka: Kafka, topic: string): Promise<number> {
  const expected = GROUPS * ROUNDS;
  const consumer = kafka.consumer({ groupId: `raw-${Math.random()}`, maxBytesPerPartition: 4 * 1024 * 1024 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  let groups = 0;
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          groups += batch.messages.length;
          if (groups >= expected) resolve();
        },
      })
      .catch(reject);
  });
  void consumer.disconnect();
  return groups;
}

async function main(): Promise<void> {
  const values = Array.from({ length: GROUPS }, (_, i) => value(i));
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-bus-'));
  const rows: string[][] = [];
  try {
    rows.push(...(await benchEmbedded(dir, values)));
    const missing = kafkaMissing();
    if (missing === null) {
      const broker = await startKafkaBroker();
      try {
        rows.push(...(await benchKafka(broker.brokers, values)));
      } finally {
        await broker.stop();
      }
    } else {
      console.warn(`SKIPPED: the Kafka half of bench/bus: ${missing}`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${GROUPS} groups of ${values[0]!.length} B, median of ${ROUNDS} rounds, groups a second`);
  printTable(['operation', 'log', 'raw client', 'ratio'], rows);
}

await main();
