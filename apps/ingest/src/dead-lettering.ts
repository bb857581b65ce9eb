import { DeadLetters } from '#libs/pipeline/event-log/dead-letters.js';
import { UndecodableRecordError } from '#libs/pipeline/event-log/decode-record.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Stage } from '#libs/platform/stage.js';
import type { StandbyStage } from './lease/leased-stage.js';

/**
 * The same stage, which leaves a dead letter when it stops at a record that it cannot decode. The record stays where it
 * is: what follows depends on it, so the partition stops instead of stepping over it (invariant 6 of docs/architecture.md).
 */
export function deadLettering(stage: Stage & StandbyStage, log: EventLog, chain: string): StandbyStage {
  return {
    name: stage.name,
    ...(stage.standBy === undefined ? {} : { standBy: (signal: AbortSignal) => stage.standBy!(signal) }),
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
