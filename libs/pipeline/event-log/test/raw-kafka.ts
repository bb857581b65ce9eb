import kafkajs, { type Kafka } from 'kafkajs';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** Writes values as a broken or ancient writer might: in one batch, outside of any transaction. */
export async function produce(kafka: Kafka, topic: TopicSpec, values: Buffer[]): Promise<void> {
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: topic.name, messages: values.map((value) => ({ key: null, value })) });
  await producer.disconnect();
}

/** Transactions of another producer that end in an abort: they leave batches and markers behind. */
export async function abortedTransactions(
  kafka: Kafka,
  topic: TopicSpec,
  count: number,
  values: Buffer[],
): Promise<void> {
  const producer = kafka.producer({ transactionalId: `aborter.${topic.name}`, maxInFlightRequests: 1 });
  await producer.connect();
  for (let i = 0; i < count; i++) {
    const transaction = await producer.transaction();
    for (const value of values) await transaction.send({ topic: topic.name, messages: [{ key: null, value }] });
    await transaction.abort();
  }
  await producer.disconnect();
}
