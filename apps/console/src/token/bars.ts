import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';

/** A candle as it is drawn. Without prices it only holds its place. */
export interface Bar {
  /** Seconds. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface Place {
  readonly time: number;
}

/**
 * Candles as bars without jumps: each opens at the close before it. A candle that has no price of its own (none of its
 * trades counted) is flat at the close before it, or only a place where there is none. `before` is the close before the
 * first of them.
 */
export function continuousBars(candles: readonly CandleBody[], before: number | null): (Bar | Place)[] {
  let last = before;
  return candles.map(({ time, open, high, low, close }) => {
    const seconds = time / 1000;
    if (open === null || high === null || low === null || close === null) {
      return last === null ? { time: seconds } : { time: seconds, open: last, high: last, low: last, close: last };
    }
    const from = last ?? open;
    last = close;
    return { time: seconds, open: from, high: Math.max(high, from), low: Math.min(low, from), close };
  });
}

/** The newest close before an index. */
export function closeBefore(candles: readonly CandleBody[], index: number): number | null {
  for (let i = index - 1; i >= 0; i--) {
    const { close } = candles[i]!;
    if (close !== null) return close;
  }
  return null;
}

/** Index of the first candle at or after a time. */
export function indexFrom(candles: readonly CandleBody[], time: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (candles[middle]!.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
