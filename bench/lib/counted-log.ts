import type { EventLog, ReadGroupsOptions, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** One record of a sequenced topic that crossed the port. */
export interface RecordRead {
  topic: string;
  seq: number;
}

export interface CountedLog {
  log: EventLog;
  /** Every sequenced record that was handed out, in order. */
  reads: RecordRead[];
}

/** An event log that notes every record of a sequenced topic which it hands out; everything else passes through. */
export function countedLog(inner: EventLog): CountedLog {
  const reads: RecordRead[] = [];
  const note = (topic: TopicSpec, record: SequencedRecord | null): SequencedRecord | null => {
    if (record !== null) reads.push({ topic: topic.name, seq: record.seq });
    return record;
  };
  async function* readGroups(topic: TopicSpec, options: ReadGroupsOptions): AsyncIterable<SequencedRecord[]> {
    for await (const batch of inner.readGroups(topic, options)) {
      for (const record of batch) note(topic, record);
      yield batch;
    }
  }
  const log: EventLog = {
    kind: inner.kind,
    ensureTopics: (topics) => inner.ensureTopics(topics),
    openWriter: (writerId) => inner.openWriter(writerId),
    lastGroup: async (topic) => note(topic, await inner.lastGroup(topic)),
    firstGroup: async (topic) => note(topic, await inner.firstGroup(topic)),
    readGroups,
    truncate: (topic, firstKeptSeq) => inner.truncate(topic, firstKeptSeq),
    dropTopics: (topics) => inner.dropTopics(topics),
    readCompacted: (topic) => inner.readCompacted(topic),
    readKeyed: (topic, partition, fromOffset, max) => inner.readKeyed(topic, partition, fromOffset, max),
    describe: () => inner.describe(),
    close: () => inner.close(),
  };
  return { log, reads };
}
