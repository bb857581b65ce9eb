import type { SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';

/** How facts are gathered into batches. */
export interface BatchPace {
  /** Longest between the starts of two batches, while the reader is at the end of the log. 0: what is there is a batch. */
  intervalMs: number;
  maxGroups: number;
  /** Encoded facts: what one read may bring. A batch is full at most of it, and its last read may bring as much again. */
  maxBytes: number;
  /** Milliseconds on a clock that never steps back. */
  now: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Groups that go into the tables together. `full`: more are waiting behind them. */
export interface GatheredGroups {
  records: SequencedRecord[];
  full: boolean;
}

/** A read that its bound ended leaves out less than the rest. */
const FULL_SHARE = 7 / 8;

/** At the end of the log this much does not wait for the interval: readers hold it in memory. */
const FULL_AT_HEAD_BYTES = 2 << 20;

/**
 * At the end of the log more than these wait no longer than `MANY_WAIT_MS`, however long the interval is: a reader takes over in one
 * turn what went into the tables together.
 */
export const FEW_GROUPS = 96;
export const FEW_BYTES = 256 << 10;
export const MANY_WAIT_MS = 15_000;

/** More groups than a chain makes in `MANY_WAIT_MS`: they are a history, and the end of it is written when no more come. */
const GROUPS_OF_HISTORY = 128;
const SILENCE_MS = 300;

/**
 * Cuts the groups of a log into batches. In history a batch is as large as it may be, also where they come no faster than they are
 * written: the engine merges each batch's parts with all others. At the end of the log groups gather
 * until an interval has passed since the last batch, or until there are many: small inserts cost more than their rows, and a
 * quiet chain makes fewer of them. What is left at the end of a history waits for a short silence only.
 * Invariants: every group comes once and in order; no batch is empty; nothing waits longer than the interval.
 */
export async function* gatherGroups(
  reads: AsyncIterable<SequencedRecord[]>,
  pace: BatchPace,
  signal: AbortSignal,
): AsyncGenerator<GatheredGroups, void> {
  const iterator = reads[Symbol.asyncIterator]();
  let reading: Promise<IteratorResult<SequencedRecord[], unknown>> | null = null;
  const read = () => {
    reading ??= iterator.next();
    reading.catch(() => undefined); // the next await of it gets the failure
    return reading;
  };
  let history = false;
  for (let begun = Number.NEGATIVE_INFINITY; ; ) {
    const first = await read();
    reading = null;
    if (first.done) return;
    const records = [...first.value];
    let bytes = sizeOf(records);
    const isFull = () => records.length >= pace.maxGroups || bytes > FULL_SHARE * pace.maxBytes;
    const areFew = () => records.length <= FEW_GROUPS && bytes <= FEW_BYTES;
    while (!isFull() && (history || bytes < FULL_AT_HEAD_BYTES)) {
      const waitMs = areFew() ? pace.intervalMs : Math.min(pace.intervalMs, MANY_WAIT_MS);
      const left = begun + waitMs - pace.now();
      if (left <= 0 || signal.aborted) break;
      history ||= records.length > GROUPS_OF_HISTORY;
      const most = history ? Math.min(left, SILENCE_MS) : left;
      const more = await within(read(), (over) => (pace.pause ?? pause)(most, over), signal);
      if (more === null) break;
      reading = null;
      if (more.done) break;
      records.push(...more.value);
      bytes += sizeOf(more.value);
    }
    if (signal.aborted) return;
    begun = pace.now();
    history = records.length > GROUPS_OF_HISTORY;
    yield { records, full: isFull() };
  }
}

const sizeOf = (records: readonly SequencedRecord[]): number =>
  records.reduce((sum, { value }) => sum + value.length, 0);

/** What the promise resolves to, or null when the time is over or the signal aborts first. */
async function within<T>(
  promise: Promise<T>,
  pausing: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<T | null> {
  const over = new AbortController();
  const waited = pausing(AbortSignal.any([signal, over.signal])).then(() => null);
  try {
    return await Promise.race([promise, waited]);
  } finally {
    over.abort();
  }
}
