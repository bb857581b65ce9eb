import { setTimeout as delay } from 'node:timers/promises';

/** Below the limit of a test (jest.config.mjs), so that what never comes has a name; far above what a busy machine needs. */
export const PATIENCE_MS = 200_000;

/** Waits for a state, never for a time. */
export async function until(what: string, holds: () => unknown | Promise<unknown>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await holds()); await delay(5)) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
  }
}

/** The same for work that may hang. */
export async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const bound = delay(PATIENCE_MS, undefined, { signal: late.signal }).then((): never => {
    throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
  });
  bound.catch(() => undefined);
  return Promise.race([work, bound]).finally(() => late.abort());
}
