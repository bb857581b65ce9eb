import type { EventLog, TopicState } from '#libs/pipeline/event-log/log.js';
import { type TopicSpec, topicByName } from '#libs/protocol/topics.js';

const SAMPLE_GROUPS = 256;

/** Topics of a log at one moment, and what they take; nothing is written. */
export class LogSizes {
  private constructor(
    private readonly log: EventLog,
    private readonly topics: ReadonlyMap<string, TopicState>,
  ) {}

  static async of(log: EventLog): Promise<LogSizes> {
    return new LogSizes(log, new Map((await log.describe()).map((topic) => [topic.name, topic])));
  }

  has({ name }: TopicSpec): boolean {
    return this.topics.has(name);
  }

  /** First and last seq; null while there is no group. */
  range({ name }: TopicSpec): { first: number; last: number } | null {
    const { firstSeq = null, lastSeq = null } = this.topics.get(name)?.partitions[0] ?? {};
    return firstSeq === null || lastSeq === null ? null : { first: firstSeq, last: lastSeq };
  }

  /** Null where the log cannot tell and nothing can be sampled. */
  async bytes(topic: TopicSpec): Promise<number | null> {
    const state = this.topics.get(topic.name);
    if (state === undefined) return 0;
    let sum = 0;
    for (const { bytes } of state.partitions) {
      if (bytes === null) return this.sampled(topic);
      sum += bytes;
    }
    return sum;
  }

  /** From the newest groups, or from what a compacted topic holds. */
  private async sampled({ name }: TopicSpec): Promise<number | null> {
    const topic = topicByName(name);
    if (topic?.kind === 'compacted') {
      let sum = 0;
      for (const [key, value] of await this.log.readCompacted(topic)) sum += key.length + value.length;
      return sum;
    }
    const range = topic === null ? null : this.range(topic);
    if (topic?.kind !== 'sequenced') return null;
    if (range === null) return 0;
    let [groups, bytes] = [0, 0];
    const options = { fromSeq: Math.max(range.first, range.last - SAMPLE_GROUPS + 1), untilEnd: true };
    for await (const batch of this.log.readGroups(topic, { ...options, signal: new AbortController().signal })) {
      for (const { value } of batch) {
        groups++;
        bytes += value.length;
      }
    }
    return groups === 0 ? null : Math.round((bytes / groups) * (range.last - range.first + 1));
  }
}
