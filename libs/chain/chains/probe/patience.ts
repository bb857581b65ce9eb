import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from './refusal.js';

const TRIES = 4;
const FIRST_PAUSE_MS = 500;

/** Asks again after a pause for as long as the node only says that it is asked too often; what it says then is thrown. */
export async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || !error.tooOften || tries === TRIES) throw error;
      await delay(error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** tries, undefined, { signal });
    }
  }
}

/** The sentence of a refusal; null where the node did as asked. A single failure is asked again: it may be the network's. */
export async function refusedWith(ask: () => Promise<unknown>, signal: AbortSignal): Promise<string | null> {
  for (let first = true; ; first = false) {
    try {
      await patiently(ask, signal);
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!first) return error.sentence;
    }
  }
}
