import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Below the limit of a test (jest.config.mjs), so that what never comes has a name; far above what a busy machine needs. */
const PATIENCE_MS = 300_000;

/**
 * The longer it waits, the less often it looks: a look may be a query or a request, and takes the processor from what is waited
 * for. A wait is longer by this share at most.
 */
const SHARE = 0.02;
const LONGEST_MS = 100;

export interface Looks {
  /** Between the first looks; 0 looks in each turn of the event loop, however long it takes. */
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
  for (const begun = performance.now(); ; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false)
      return answer as Exclude<T, undefined | null | false>;
    const waitedMs = performance.now() - begun;
    if (waitedMs < patienceMs) {
      await (everyMs > 0 ? delay(pauseMs(everyMs, waitedMs)) : turn());
      continue;
    }
    const seen = howFar === undefined ? '' : await howFar();
    throw new Error(`not within ${patienceMs / 1000} s: ${what} ${asText(seen)}`.trimEnd());
  }
}

/** Until the next look, after a wait of so long. */
export const pauseMs = (everyMs: number, waitedMs: number): number =>
  Math.max(everyMs, Math.min(LONGEST_MS, waitedMs * SHARE));

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
