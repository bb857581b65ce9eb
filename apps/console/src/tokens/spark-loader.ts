import { ApiError } from '#libs/serve/client/api-error.js';
import type { RestClient } from '#libs/serve/client/rest-client.js';

/**
 * Closes of the last day for the small lines of the list: asked for while a row is in sight, few at a time, and asked again
 * once they are old. A token without a candle so far, or a request that failed for a passing reason, is asked for again soon.
 */
const KEEP_MS = 5 * 60_000;
const SOON_MS = 5_000;
const AT_ONCE = 3;
const POINTS = 96;

interface Kept {
  at: number;
  points: readonly number[];
}

const kept = new Map<string, Kept>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;

/** Hands out the points now, or once they are known, and again each time they were asked for again; until the answer is called. */
export function followSpark(
  rest: Pick<RestClient, 'candles'>,
  chain: string,
  address: string,
  take: (points: readonly number[]) => void,
): () => void {
  const key = `${chain}:${address}`;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let soon = SOON_MS;
  const wait = (ms: number): void => {
    timer = setTimeout(ask, ms);
  };
  const ask = (): void => {
    waiting.push(async () => {
      if (stopped) return;
      const found = await load(rest, chain, address);
      if (found === 'refused') return;
      if ('points' in found) {
        kept.set(key, found);
        take(found.points);
      }
      if (stopped) return;
      if ('points' in found && found.points.length > 0) return wait(KEEP_MS);
      wait(Math.max(soon, 'retryMs' in found ? found.retryMs : 0));
      soon = Math.min(2 * soon, KEEP_MS);
    });
    void work();
  };
  const found = kept.get(key);
  const age = found === undefined ? KEEP_MS : Date.now() - found.at;
  if (found !== undefined && found.points.length > 0 && age < KEEP_MS) {
    take(found.points);
    wait(KEEP_MS - age);
  } else ask();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** What is known now, when to try again, or that trying again is of no use. */
async function load(
  rest: Pick<RestClient, 'candles'>,
  chain: string,
  address: string,
): Promise<Kept | { retryMs: number } | 'refused'> {
  try {
    const { data } = await rest.candles(chain, address, { interval: '15m', limit: POINTS, continuous: true });
    return { at: Date.now(), points: data.flatMap(({ close }) => (close === null ? [] : [close])) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.retryable ? { retryMs: (error.retryAfter ?? 0) * 1_000 } : 'refused';
  }
}

async function work(): Promise<void> {
  if (running >= AT_ONCE) return;
  running++;
  try {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job();
  } finally {
    running--;
  }
}
