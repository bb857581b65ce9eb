import { UndecodableError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { SequencedRecord } from './log.js';

/** A record of the log that no decoder of this program accepts, and where it is. */
export class UndecodableRecordError extends UndecodableError {
  constructor(
    readonly topic: string,
    readonly seq: number,
    reason: string,
  ) {
    super(`${topic} seq ${seq}`, reason);
  }
}

export function decodeRecord<Group>(
  topic: TopicSpec,
  record: SequencedRecord,
  decode: (bytes: Uint8Array) => Group,
): Group {
  try {
    return decode(record.value);
  } catch (error) {
    if (error instanceof UndecodableError) throw new UndecodableRecordError(topic.name, record.seq, error.message);
    throw error;
  }
}
