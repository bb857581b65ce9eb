import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { CandlesFrame } from './live-frame.js';

/** Candles of a token after the frames seen so far: ascending in time, one per start, the newest `limit`. */
export interface CandleSeries {
  readonly candles: readonly CandleBody[];
  /** What the newest frame changed or added, ascending; null when it replaced everything. */
  readonly changed: readonly CandleBody[] | null;
  /** The block of the series; null before the first snapshot. */
  readonly meta: Meta | null;
  readonly limit: number;
}

export const emptyCandles = (limit = 1000): CandleSeries => ({ candles: [], changed: null, meta: null, limit });

/** The series after one more frame. Frames without rows, and deltas before the first snapshot, change nothing. */
export function followCandles(series: CandleSeries, frame: CandlesFrame): CandleSeries {
  const { limit } = series;
  if (frame.type === 'snapshot') {
    return { candles: frame.data.slice(-limit), changed: null, meta: frame.meta, limit };
  }
  if (frame.type !== 'candles' || series.meta === null) return series;
  const changed = frame.data;
  return { candles: withChanges(series.candles, changed).slice(-limit), changed, meta: frame.meta, limit };
}

/** Candles with others put in their places; both ascending. */
function withChanges(candles: readonly CandleBody[], changed: readonly CandleBody[]): CandleBody[] {
  const first = changed[0];
  if (first === undefined) return [...candles];
  let kept = candles.length;
  while (kept > 0 && candles[kept - 1]!.time >= first.time) kept--;
  const byTime = new Map(candles.slice(kept).map((candle) => [candle.time, candle]));
  for (const candle of changed) byTime.set(candle.time, candle);
  return [...candles.slice(0, kept), ...[...byTime.values()].sort((a, b) => a.time - b.time)];
}
