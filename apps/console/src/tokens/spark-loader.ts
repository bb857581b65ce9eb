import { ApiError } from '#libs/client/api-error.js';
import type { RestClient } from '#libs/client/rest-client.js';

/** Closes of the last day for the small lines of the list: asked for once a row comes into sight, few at a time, kept a while. */
const KEEP_MS = 5 * 60_000;
const AT_ONCE = 3;
const POINTS = 96;

interface Kept {
  at: number;
  points: readonly number[];
}

const kept = new Map<string, Kept>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;

/** Points if they are known; else null, and `done` is called once they are. Failing is no trouble: the row stays without. */
export function sparkPoints(
  rest: RestClient,
  chain: string,
  address: string,
  done: (points: readonly number[]) => void,
): void {
  const key = `${chain}:${address}`;
  const found = kept.get(key);
  if (found !== undefined && Date.now() - found.at < KEEP_MS) {
    done(found.points);
    return;
  }
  waiting.push(async () => {
    try {
      const { data } = await rest.candles(chain, address, { interval: '15m', limit: POINTS, continuous: true });
      const points = data.flatMap(({ close }) => (close === null ? [] : [close]));
      kept.set(key, { at: Date.now(), points });
      done(points);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  });
  void work();
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
