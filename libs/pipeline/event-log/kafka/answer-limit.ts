import { setTimeout as delay } from 'node:timers/promises';
import { TidepoolError } from '#libs/core/errors.js';

/** Nothing is known of the outcome. */
export class NoAnswerError extends TidepoolError {
  constructor(what: string, ms: number) {
    super('log_failed', `${what}: no answer within ${ms / 1_000} s`);
  }
}

/**
 * Bounds the wait for a broker by a timer. The client's own limits compare the wall clock, so after a step back they would come
 * later by as much.
 */
export async function answeredWithin<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(ms, undefined, { signal: done.signal }).then((): never => {
    throw new NoAnswerError(what, ms);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
