import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Below the limit of a test (jest.config.mjs), so that what never comes has a name; far above what a busy machine needs. */
const PATIENCE_MS = 300_000;

export interface Looks {
  /** Between two looks; 0 looks in each turn of the event loop. */
  everyMs?: number;
  /** How far it came, for the message of a failure. */
  howFar?: () => unknown;
  patienceMs?: number;
}

type Holds = () => unknown | Promise<unknown>;

/** Waits for a state, never for a time. What the look throws ends the wait. Without a name the look's own text is named. */
export function until(what: string, holds: Holds, looks?: Looks): Promise<void>;
export function until(holds: Holds, looks?: Looks): Promise<void>;
export async function until(...args: [string, Holds, Looks?] | [Holds, Looks?]): Promise<void> {
  const [what, holds, looks] = typeof args[0] === 'string' ? (args as [string, Holds, Looks?]) : named(args as [Holds]);
  await untilAnswer(what, async () => Boolean(await holds()), looks);
}

const named = ([holds, looks]: [Holds, Looks?]) => [String(holds), holds, looks] as const;

/** The same for an answer: neither undefined nor null nor false. */
export async function untilAnswer<T>(
  what: string,
  ask: () => T | Promise<T>,
  { everyMs = 5, howFar, patienceMs = PATIENCE_MS }: Looks = {},
): Promise<Exclude<T, undefined | null | false>> {
  // Not of Date: a spec may have a clock of its own there.
  for (const end = performance.now() + patienceMs; ; everyMs > 0 ? await delay(everyMs) : await turn()) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false)
      return answer as Exclude<T, undefined | null | false>;
    if (performance.now() < end) continue;
    const seen = howFar === undefined ? '' : await howFar();
    throw new Error(`not within ${patienceMs / 1000} s: ${what} ${asText(seen)}`.trimEnd());
  }
}

const asText = (seen: unknown): string => (typeof seen === 'string' ? seen : JSON.stringify(seen));

/** The same for work that may hang. */
export async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const bound = delay(PATIENCE_MS, undefined, { signal: late.signal }).then((): never => {
    throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
  });
  bound.catch(() => undefined);
  return Promise.race([work, bound]).finally(() => late.abort());
}
