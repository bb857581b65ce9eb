import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';

/** What a reorg took back of a chart. */
export interface Replaced {
  /** Start of the first candle that changed. */
  readonly from: number;
  /** The candles as they were, ascending; empty once they are no longer shown. */
  readonly candles: readonly CandleBody[];
}

/** More than these are not drawn: a reorg is at the end of a chart. */
const MOST = 20;

const same = (a: CandleBody, b: CandleBody | undefined): boolean =>
  b !== undefined &&
  a.trades === b.trades &&
  a.open === b.open &&
  a.high === b.high &&
  a.low === b.low &&
  a.close === b.close &&
  a.volumeUsd === b.volumeUsd;

/** The newest candles of before that are not so any more; null when all are. */
export function replacedCandles(before: readonly CandleBody[], now: readonly CandleBody[]): Replaced | null {
  const current = new Map(now.map((candle) => [candle.time, candle]));
  const candles = before.slice(-MOST).filter((candle) => !same(candle, current.get(candle.time)));
  return candles[0] === undefined ? null : { from: candles[0].time, candles };
}
