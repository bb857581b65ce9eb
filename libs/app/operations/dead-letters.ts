import { UndecodableError } from '#libs/core/errors.js';
import { DeadLetters } from '#libs/pipeline/event-log/dead-letters.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import type { DeadLetter } from '#libs/protocol/dead-letter.js';
import type { OperationDeps } from './operation-deps.js';
import { requireTopic } from './topic-by-name.js';

interface Outcome {
  id: string;
  stage: string;
  outcome: 'replayed' | 'still undecodable' | 'not in the log any more' | 'needs a new epoch';
  reason: string | null;
}

/**
 * `dlq ls` and `dlq replay`. A stage stops at input it cannot decode, because what follows depends on it; the input stays
 * in the log. Replaying tries it with the decoders of this program: what decodes now is closed and its stage started.
 */
export function deadLetterOperations({ log, restartStage }: OperationDeps): Operations {
  const letters = new DeadLetters(log);
  return {
    'dlq.ls': async (args) => ({ letters: args.all === true ? await letters.all() : await letters.open() }),
    'dlq.replay': async (args, io) => {
      const open = await letters.open();
      const wanted = typeof args.id === 'string' ? open.filter(({ id }) => id === args.id) : open;
      const outcomes: Outcome[] = [];
      const good: DeadLetter[] = [];
      for (const [index, letter] of wanted.entries()) {
        const outcome = await tryAgain(log, letter);
        outcomes.push(outcome);
        if (outcome.outcome === 'replayed') good.push(letter);
        io.progress({ label: 'dead letters', done: index + 1, total: wanted.length, unit: 'letters' });
      }
      await letters.resolve(good);
      const restarted: string[] = [];
      for (const stage of new Set(good.map((letter) => letter.stage))) {
        if (await restartStage?.(stage)) restarted.push(stage);
      }
      return { outcomes, restarted };
    },
  };
}

async function tryAgain(log: EventLog, letter: DeadLetter): Promise<Outcome> {
  const answer = (outcome: Outcome['outcome'], reason: string | null = null): Outcome => ({
    id: letter.id,
    stage: letter.stage,
    outcome,
    reason,
  });
  // Input that never became a record cannot be put into the middle of a log: only a new epoch reads the chain again.
  if (letter.topic === null || letter.seq === null) return answer('needs a new epoch', letter.reason);
  const topic = requireTopic(letter.topic);
  const signal = new AbortController().signal;
  for await (const [record] of log.readGroups(topic, { fromSeq: letter.seq, signal, untilEnd: true, maxGroups: 1 })) {
    if (record === undefined || record.seq !== letter.seq) break;
    try {
      if (topic.name.startsWith('blocks.')) decodeBlocksGroup(record.value);
      else decodeFactsGroup(record.value);
      return answer('replayed');
    } catch (error) {
      if (error instanceof UndecodableError) return answer('still undecodable', error.message);
      throw error;
    }
  }
  return answer('not in the log any more');
}
