import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import {
  bucketEnd,
  bucketStart,
  type Candle,
  CandleAccumulator,
  continuousCandles,
  fillCandles,
  type Interval,
  mergeCandles,
  nativeCandle,
  shiftBucket,
} from '#libs/pipeline/fold/candles.js';
import type { ChainView } from './chain-view.js';
import { referencesBefore } from './read-prices.js';
import { isStable, stableCandles, stablePath } from './stable-prices.js';
import { candleTrade } from './trade-side.js';

export interface CandleQuery {
  token: Hex;
  /** Candles of this pool alone. */
  pool?: Hex;
  interval: Interval;
  /** Candles that start in [fromTime, toTime). */
  fromTime?: number;
  toTime?: number;
  limit: number;
  currency: 'usd' | 'native';
  fill: boolean;
  continuous: boolean;
}

export interface CandlePage {
  /** Ascending, at most `limit`: the newest below `toTime`. */
  candles: Candle[];
  /** The `toTime` of the page before, or null when nothing is before. */
  nextTo: number | null;
}

/**
 * Candles of one token: the tables' buckets with the tail's trades added. Trades of the tail come after all of the
 * tables', so that merging the two parts of a bucket gives the bucket.
 */
export async function readCandles(view: ChainView, query: CandleQuery): Promise<CandlePage> {
  const { interval } = query;
  const end = bucketEnd(interval, bucketStart(interval, view.head.time));
  const to = query.toTime === undefined ? end : Math.min(end, ceilBucket(interval, query.toTime));
  const from = query.fromTime === undefined ? Number.NEGATIVE_INFINITY : ceilBucket(interval, query.fromTime);
  if (from >= to) return { candles: [], nextTo: null };
  const page = query.fill ? await filledPage(view, query, from, to) : await plainPage(view, query, from, to);
  if (query.currency === 'usd') return page;
  return { ...page, candles: await nativeCandles(view, interval, page.candles) };
}

/** The same candles in the chain's coin, each at the coin's price at its end. */
export async function nativeCandles(
  view: ChainView,
  interval: Interval,
  candles: readonly Candle[],
): Promise<Candle[]> {
  const ends = candles.map((candle) => bucketEnd(interval, candle.time));
  const coin = await referencesBefore(view, view.chain.wrappedNative.token, ends);
  return candles.map((candle, index) => nativeCandle(candle, coin[index] ?? null));
}

async function plainPage(view: ChainView, query: CandleQuery, from: number, to: number): Promise<CandlePage> {
  const found = await buckets(view, query, { from, to, limit: query.limit + 1 });
  const candles = found.slice(-query.limit);
  const nextTo = found.length > query.limit ? candles[0]!.time : null;
  if (!query.continuous || candles.length === 0) return { candles, nextTo };
  const before = await lastClose(view, query, candles[0]!.time);
  return { candles: continuousCandles(candles, before.close), nextTo };
}

/** Every bucket of the page, whether it has trades or not: a page is `limit` buckets of the calendar. */
async function filledPage(view: ChainView, query: CandleQuery, from: number, to: number): Promise<CandlePage> {
  const { interval, limit } = query;
  const start = Math.max(from, shiftBucket(interval, bucketStart(interval, to - 1), 1 - limit));
  const found = await buckets(view, query, { from: start, to, limit });
  const before = await lastClose(view, query, start);
  let candles = fillCandles(found, { interval, from: start, to, previousClose: before.close });
  if (query.continuous) candles = continuousCandles(candles, before.close);
  return { candles, nextTo: start > from && before.exists ? start : null };
}

interface Range {
  from: number;
  to: number;
  limit: number;
}

/** The newest buckets of a range that have trades, ascending. */
async function buckets(view: ChainView, query: CandleQuery, range: Range): Promise<Candle[]> {
  const { token, pool, interval } = query;
  const ofStable = pool === undefined && isStable(view.chain, token);
  const own = tailBuckets(view, query, range, ofStable ? await stablePath(view, token) : null);
  const found = await view.reads.candleBuckets(view.tables, {
    token,
    pool,
    interval,
    fromTime: Math.max(range.from, 0),
    toTime: range.to,
    limit: range.limit,
  });
  const stored = ofStable ? await stableCandles(view, { token, interval }, found) : found;
  return mergeCandles(interval, [...stored, ...own]).slice(-range.limit);
}

/** `prices`: of a stable at the end of each group. */
function tailBuckets(
  view: ChainView,
  query: CandleQuery,
  range: Range,
  prices: readonly (E36 | null)[] | null,
): Candle[] {
  const made: CandleAccumulator[] = [];
  for (const [index, group] of view.groups.entries()) {
    const time = bucketStart(query.interval, group.facts.time);
    if (time < range.from || time >= range.to) continue;
    for (const trade of group.tradesOf(query.token)) {
      if (query.pool !== undefined && trade.pool !== query.pool) continue;
      let bucket = made[made.length - 1];
      if (bucket === undefined || bucket.time !== time) {
        bucket = new CandleAccumulator(time);
        made.push(bucket);
      }
      bucket.add(candleTrade(trade, query.token, prices?.[index]));
    }
  }
  return made.map((bucket) => bucket.candle());
}

interface Before {
  /** Whether any trade is before. */
  exists: boolean;
  close: E36 | null;
}

const FIRST_LOOK = 50;
const DAYS_AT_ONCE = 1000;
const SECONDS_OF_A_DAY = 86_400;

/** The close of the last priced candle before a time. Far back it is found by days: a day's close is its last one. */
async function lastClose(view: ChainView, query: CandleQuery, time: number): Promise<Before> {
  const near = await buckets(view, query, { from: Number.NEGATIVE_INFINITY, to: time, limit: FIRST_LOOK });
  const close = newestClose(near);
  if (close !== null || near.length < FIRST_LOOK) return { exists: near.length > 0, close };
  const oldest = near[0]!.time;
  let day = bucketStart('1d', oldest);
  const sameDay = await buckets(view, query, { from: day, to: oldest, limit: SECONDS_OF_A_DAY });
  const earlier = newestClose(sameDay);
  if (earlier !== null) return { exists: true, close: earlier };
  for (;;) {
    const days = await buckets(
      view,
      { ...query, interval: '1d' },
      { from: Number.NEGATIVE_INFINITY, to: day, limit: DAYS_AT_ONCE },
    );
    const found = newestClose(days);
    if (found !== null || days.length < DAYS_AT_ONCE) return { exists: true, close: found };
    day = days[0]!.time;
  }
}

function newestClose(candles: readonly Candle[]): E36 | null {
  return candles.reduce<E36 | null>((close, candle) => candle.close ?? close, null);
}

/** The first bucket start at or after a time. */
function ceilBucket(interval: Interval, time: number): number {
  const start = bucketStart(interval, time);
  return start === time ? start : bucketEnd(interval, start);
}
