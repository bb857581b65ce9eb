import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkTopicSpec, topicMismatch } from '../append-rules.js';
import { answeredWithin } from './answer-limit.js';
import { kafkaErrorType, kafkaFailure, leave } from './kafka-client.js';

/**
 * Topics as they must be on the broker. Retention is always set: the broker's default of seven days would delete the
 * truth. Existing topics are brought to their spec, keeping every other override that the operator made.
 */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

function topicConfig(spec: TopicSpec): Record<string, string> {
  return {
    'cleanup.policy': spec.kind === 'compacted' ? 'compact' : 'delete',
    'retention.ms': String(spec.retentionMs),
    'retention.bytes': '-1',
    'max.message.bytes': String(MAX_MESSAGE_BYTES),
    ...(spec.segmentMs === undefined
      ? {}
      : { 'segment.ms': String(spec.segmentMs), 'min.cleanable.dirty.ratio': '0.1' }),
  };
}

export async function ensureKafkaTopics(kafka: Kafka, specs: TopicSpec[], replicationFactor?: number): Promise<void> {
  for (const spec of specs) checkTopicSpec(spec);
  await withAdmin(kafka, async (admin) => {
    await create(admin, specs, replicationFactor);
    await retryUntilLed(() => checkPartitions(admin, specs));
    await bringToSpec(admin, specs);
  });
}

export async function listKafkaTopics(kafka: Kafka): Promise<{ name: string; partitions: number }[]> {
  return withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    return topics
      .filter(({ name }) => !name.startsWith('__'))
      .map(({ name, partitions }) => ({ name, partitions: partitions.length }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** Resolves when the broker does not list them any more. */
export async function dropKafkaTopics(kafka: Kafka, names: string[]): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    const gone = new Set(names);
    const left = async () => (await admin.listTopics()).filter((name) => gone.has(name));
    const topics = await left();
    if (topics.length === 0) return;
    await admin.deleteTopics({ topics });
    const until = performance.now() + LED_AFTER_MS;
    while ((await left()).length > 0 && performance.now() < until) await delay(50);
  });
}

async function create(admin: Admin, specs: TopicSpec[], replicationFactor?: number): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter((spec) => !existing.has(spec.name));
  if (missing.length === 0) return;
  try {
    await admin.createTopics({
      waitForLeaders: true,
      topics: missing.map((spec) => ({
        topic: spec.name,
        numPartitions: spec.partitions,
        replicationFactor: replicationFactor ?? -1,
        configEntries: Object.entries(topicConfig(spec)).map(([name, value]) => ({ name, value })),
      })),
    });
  } catch (error) {
    // Another process made some of them in the meantime; one request creates each topic on its own.
    if (!namesExistingTopic(error)) throw error;
  }
}

function namesExistingTopic(error: unknown): boolean {
  const { errors } = error as { errors?: unknown[] };
  return (errors ?? [error]).every((each) => kafkaErrorType(each) === 'TOPIC_ALREADY_EXISTS');
}

/** Topics that another process has just made have no leader for a moment. */
const NOT_LED_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);
const LED_AFTER_MS = 10_000;

async function retryUntilLed(look: () => Promise<void>): Promise<void> {
  const until = performance.now() + LED_AFTER_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > until || !NOT_LED_YET.has(kafkaErrorType(error) ?? '')) throw error;
      await delay(100);
    }
  }
}

async function checkPartitions(admin: Admin, specs: TopicSpec[]): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map((spec) => spec.name) });
  for (const spec of specs) {
    const found = topics.find(({ name }) => name === spec.name);
    if (found && found.partitions.length !== spec.partitions) throw topicMismatch(spec.name, 'number of partitions');
  }
}

const DYNAMIC_TOPIC_CONFIG = 1;

async function bringToSpec(admin: Admin, specs: TopicSpec[]): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map((spec) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name: spec.name })),
  });
  for (const spec of specs) {
    const entries = resources.find(({ resourceName }) => resourceName === spec.name)?.configEntries ?? [];
    const wanted = topicConfig(spec);
    const current = (name: string): string | undefined => entries.find((e) => e.configName === name)?.configValue;
    if (current('cleanup.policy') !== wanted['cleanup.policy']) throw topicMismatch(spec.name, 'cleanup policy');
    if (Object.entries(wanted).every(([name, value]) => current(name) === value)) continue;
    // AlterConfigs replaces all overrides of a topic: the others are sent along.
    const overrides = entries.filter((e) => Number(e.configSource) === DYNAMIC_TOPIC_CONFIG);
    const merged = { ...Object.fromEntries(overrides.map((e) => [e.configName, e.configValue])), ...wanted };
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: spec.name,
          configEntries: Object.entries(merged).map(([name, value]) => ({ name, value })),
        },
      ],
    });
  }
}

/** All questions of one task together; the client repeats each of them for some seconds. */
const ADMIN_MS = 120_000;

/** Asks as an administrator. `what`: for the message where the broker refuses. */
export async function withAdmin<T>(
  kafka: Kafka,
  action: (admin: Admin) => Promise<T>,
  what = 'administer topics',
): Promise<T> {
  const admin = kafka.admin();
  try {
    const work = async (): Promise<T> => {
      await admin.connect();
      return action(admin);
    };
    return await answeredWithin(ADMIN_MS, 'administration of topics', work());
  } catch (error) {
    throw kafkaFailure(`the broker refused to ${what}`, error);
  } finally {
    await leave(admin);
  }
}
