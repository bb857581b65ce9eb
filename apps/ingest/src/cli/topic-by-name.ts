import { TidepoolError } from '#libs/core/errors.js';
import {
  blocksTopic,
  deadLettersTopic,
  epochsTopic,
  factsTopic,
  intentsTopic,
  retractionsTopic,
  type TopicSpec,
  tradesTopic,
} from '#libs/protocol/topics.js';

const FIXED = [epochsTopic, tradesTopic, retractionsTopic, deadLettersTopic];

/** The specification of a topic from its name; null when no topic of this program is called so. */
export function topicByName(name: string): TopicSpec | null {
  const blocks = /^blocks\.([a-z0-9]+)\.e(\d+)$/.exec(name);
  if (blocks) return blocksTopic(blocks[1]!, Number(blocks[2]));
  const facts = /^facts\.([a-z0-9]+)\.e(\d+)\.f(\d+)$/.exec(name);
  if (facts) return factsTopic(facts[1]!, Number(facts[2]), Number(facts[3]));
  const intents = /^intents\.([a-z0-9]+)$/.exec(name);
  if (intents) return intentsTopic(intents[1]!);
  return FIXED.find((topic) => topic.name === name) ?? null;
}

export function requireTopic(name: unknown): TopicSpec {
  const topic = typeof name === 'string' ? topicByName(name) : null;
  if (topic) return topic;
  throw new TidepoolError(
    'usage',
    `${JSON.stringify(name)} is not a topic: use blocks.<chain>.e<epoch>, facts.<chain>.e<epoch>.f<version>, intents.<chain>, ` +
      `${FIXED.map((fixed) => fixed.name).join(', ')} (tidepool topics ls lists what there is)`,
  );
}
