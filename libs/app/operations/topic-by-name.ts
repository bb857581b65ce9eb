import { TidepoolError } from '#libs/core/errors.js';
import { fixedTopics, type TopicSpec, topicByName } from '#libs/protocol/topics.js';

/** The topic an operator named, or an error that says which names there are. */
export function requireTopic(name: unknown): TopicSpec {
  const topic = typeof name === 'string' ? topicByName(name) : null;
  if (topic) return topic;
  throw new TidepoolError(
    'usage',
    `${JSON.stringify(name)} is not a topic: use blocks.<chain>.e<epoch>, facts.<chain>.e<epoch>.f<version>, ` +
      `pools.<chain>.e<epoch>.f<version>, intents.<chain>, ` +
      `${fixedTopics.map((fixed) => fixed.name).join(', ')} (tidepool topics ls lists what there is)`,
  );
}
