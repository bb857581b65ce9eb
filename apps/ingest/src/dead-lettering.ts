import { UndecodableError } from '#libs/core/errors.js';
import type { EventLog, SequencedRecord } from '#libs/event-log/log.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { DeadLetters } from './dead-letters.js';
import type { Stage } from './stage.js';

/** A record of the log that no decoder of this program accepts, and where it lies. */
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

/**
 * The same stage, which leaves a dead letter when it stops at a record that it cannot decode. The record stays where it
 * is: what follows depends on it, so the partition stops instead of stepping over it (invariant 9).
 */
export function deadLettering(stage: Stage, log: EventLog, chain: string): Stage {
  return {
    name: stage.name,
    status: () => stage.status(),
    run: async (signal) => {
      try {
        await stage.run(signal);
      } catch (error) {
        if (error instanceof UndecodableRecordError) {
          const { topic, seq, message } = error;
          const id = `${stage.name}/${topic}/${seq}`;
          await new DeadLetters(log).add({ id, stage: stage.name, chain, topic, seq, reason: message, payload: null });
        }
        throw error;
      }
    },
  };
}
