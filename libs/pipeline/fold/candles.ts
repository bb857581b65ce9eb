import type { E18, E36 } from '#libs/core/money.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import { inCoin } from './price-rule.js';

/**
 * Candles of the 18 intervals.
 * Invariant: a candle is the same whether it is accumulated trade by trade or merged from partial candles of the same
 * bucket, as long as the parts come in chain order. Prices move only by counted trades, volumes by all trades but those that
 * their block undid, which are summed apart.
 */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** 1970-01-05 was the first Monday. */
const FIRST_MONDAY = 4 * DAY;

/** Fixed length in ms; null for the calendar month. */
const LENGTHS = {
  '1s': SECOND,
  '5s': 5 * SECOND,
  '15s': 15 * SECOND,
  '30s': 30 * SECOND,
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '2h': 2 * HOUR,
  '4h': 4 * HOUR,
  '6h': 6 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '3d': 3 * DAY,
  '1w': WEEK,
  '1M': null,
} as const;

export type Interval = keyof typeof LENGTHS;

export const foldedIntervals = Object.keys(LENGTHS) as Interval[];

export function isInterval(text: string): text is Interval {
  return Object.hasOwn(LENGTHS, text);
}

/** Length in ms; null for the calendar month. */
export function intervalMs(interval: Interval): number | null {
  return LENGTHS[interval];
}

/** First ms of the bucket that holds `timeMs`. Weeks start Monday 00:00 UTC, months on the 1st, the rest at the epoch. */
export function bucketStart(interval: Interval, timeMs: number): number {
  const length = LENGTHS[interval];
  if (length === null) {
    const date = new Date(timeMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  const offset = interval === '1w' ? FIRST_MONDAY : 0;
  return Math.floor((timeMs - offset) / length) * length + offset;
}

/** First ms after the bucket that starts at `startMs`. */
export function bucketEnd(interval: Interval, startMs: number): number {
  const length = LENGTHS[interval];
  if (length !== null) return startMs + length;
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Start of the bucket `count` buckets away (negative: before). */
export function shiftBucket(interval: Interval, startMs: number, count: number): number {
  const length = LENGTHS[interval];
  if (length !== null) return startMs + count * length;
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}

export interface Candle {
  /** Start of the bucket, Unix ms. */
  time: number;
  /** Null when no trade of the bucket was counted. */
  open: E36 | null;
  high: E36 | null;
  low: E36 | null;
  close: E36 | null;
  volumeUsd: E18;
  volumeCoin: E18;
  /** Of trades that their block undid. */
  loopVolumeUsd: E18;
  trades: number;
  buys: number;
  sells: number;
}

/** What a trade adds to sums of volumes; one without a value adds nothing. */
export interface TradeVolumes {
  volumeUsd: E18;
  volumeCoin: E18;
  loopVolumeUsd: E18;
}

export function volumesOf({
  uncounted,
  volumeUsd,
  volumeCoin,
}: Pick<TradeFact, 'uncounted' | 'volumeUsd' | 'volumeCoin'>): TradeVolumes {
  return uncounted === 'reverted'
    ? { volumeUsd: 0n, volumeCoin: 0n, loopVolumeUsd: volumeUsd ?? 0n }
    : { volumeUsd: volumeUsd ?? 0n, volumeCoin: volumeCoin ?? 0n, loopVolumeUsd: 0n };
}

export interface CandleTrade extends TradeVolumes, Pick<TradeFact, 'priceUsd' | 'side'> {
  /** Whether it may move prices. */
  counted: boolean;
}

/** One bucket being filled, in chain order. */
export class CandleAccumulator {
  private open: E36 | null = null;
  private high: E36 | null = null;
  private low: E36 | null = null;
  private close: E36 | null = null;
  private volumeUsd = 0n;
  private volumeCoin = 0n;
  private loopVolumeUsd = 0n;
  private trades = 0;
  private buys = 0;

  constructor(readonly time: number) {}

  static of(candle: Candle): CandleAccumulator {
    const accumulator = new CandleAccumulator(candle.time);
    accumulator.append(candle);
    return accumulator;
  }

  /** A trade after everything that is in the bucket so far. */
  add(trade: CandleTrade): void {
    if (trade.counted && trade.priceUsd !== null)
      this.move(trade.priceUsd, trade.priceUsd, trade.priceUsd, trade.priceUsd);
    this.addVolumes(trade);
    this.trades += 1;
    if (trade.side === 'buy') this.buys += 1;
  }

  /** A partial candle whose trades all come after those that are in the bucket so far. */
  append(later: Candle): void {
    if (later.open !== null && later.high !== null && later.low !== null && later.close !== null)
      this.move(later.open, later.high, later.low, later.close);
    this.addVolumes(later);
    this.trades += later.trades;
    this.buys += later.buys;
  }

  candle(): Candle {
    const { time, open, high, low, close, volumeUsd, volumeCoin, loopVolumeUsd, trades, buys } = this;
    const volumes = { volumeUsd, volumeCoin, loopVolumeUsd };
    return { time, open, high, low, close, ...volumes, trades, buys, sells: trades - buys };
  }

  private addVolumes({ volumeUsd, volumeCoin, loopVolumeUsd }: TradeVolumes): void {
    this.volumeUsd += volumeUsd;
    this.volumeCoin += volumeCoin;
    this.loopVolumeUsd += loopVolumeUsd;
  }

  private move(open: E36, high: E36, low: E36, close: E36): void {
    if (this.open === null) this.open = open;
    if (this.high === null || high > this.high) this.high = high;
    if (this.low === null || low < this.low) this.low = low;
    this.close = close;
  }
}

/** Joins partial candles (chain order, ascending in time) into candles of a longer or the same interval. */
export function mergeCandles(interval: Interval, parts: Iterable<Candle>): Candle[] {
  const merged: Candle[] = [];
  let current: CandleAccumulator | null = null;
  for (const part of parts) {
    const time = bucketStart(interval, part.time);
    if (current === null || current.time !== time) {
      if (current !== null) {
        if (time < current.time) throw new RangeError('partial candles must be ascending in time');
        merged.push(current.candle());
      }
      current = new CandleAccumulator(time);
    }
    current.append(part);
  }
  if (current !== null) merged.push(current.candle());
  return merged;
}

const flat = (time: number, price: E36 | null): Candle => ({
  time,
  open: price,
  high: price,
  low: price,
  close: price,
  volumeUsd: 0n,
  volumeCoin: 0n,
  loopVolumeUsd: 0n,
  trades: 0,
  buys: 0,
  sells: 0,
});

export interface FillRange {
  interval: Interval;
  /** First bucket start to show. */
  from: number;
  /** Exclusive end. */
  to: number;
  /** Close of the last priced candle before `from`; buckets before the first price are left out without one. */
  previousClose: E36 | null;
}

/** Every bucket of the range has a candle: an empty or unpriced one is flat at the close before it. */
export function fillCandles(candles: readonly Candle[], range: FillRange): Candle[] {
  const filled: Candle[] = [];
  let close = range.previousClose;
  let next = 0;
  for (let time = bucketStart(range.interval, range.from); time < range.to; time = bucketEnd(range.interval, time)) {
    while (next < candles.length && candles[next]!.time < time) next++;
    const candle = candles[next]?.time === time ? candles[next]! : null;
    if (candle === null && close === null) continue;
    if (candle === null) filled.push(flat(time, close));
    else if (candle.close === null) filled.push({ ...candle, open: close, high: close, low: close, close });
    else filled.push(candle);
    close = candle?.close ?? close;
  }
  return filled;
}

/** `open` becomes the close before it, high and low include it; an unpriced candle is flat at it. */
export function continuousCandles(candles: readonly Candle[], previousClose: E36 | null): Candle[] {
  let close = previousClose;
  return candles.map((candle) => {
    const open = close;
    if (candle.close === null || candle.high === null || candle.low === null)
      return open === null ? candle : { ...candle, open, high: open, low: open, close: open };
    close = candle.close;
    if (open === null) return candle;
    const widened = { ...candle, open };
    if (open > candle.high) widened.high = open;
    if (open < candle.low) widened.low = open;
    return widened;
  });
}

/** The candle in the chain's coin, at the coin's USD price at the candle's end; null prices without one. */
export function nativeCandle(candle: Candle, coinUsdAtEnd: E36 | null): Candle {
  return {
    ...candle,
    open: inCoin(candle.open, coinUsdAtEnd),
    high: inCoin(candle.high, coinUsdAtEnd),
    low: inCoin(candle.low, coinUsdAtEnd),
    close: inCoin(candle.close, coinUsdAtEnd),
  };
}
