import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import {
  bucketEnd,
  bucketStart,
  type Candle,
  CandleAccumulator,
  type Interval,
  nativeCandle,
} from '#libs/pipeline/fold/candles.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { candleTrade } from '#libs/serve/reader/trade-side.js';
import type { CandleSeries } from './candle-series.js';

export interface OpenCandleState {
  seq: number;
  /** In USD, whatever the currency of the series. */
  last: Candle | null;
  /** USD price of the coin as of `seq`. */
  coinUsd: E36 | null;
  /** The same of the token itself where it is a stable, whose candles show it; undefined where it is none. */
  stableUsd?: E36 | null;
}

/**
 * The newest candle of one series, taken on from block to block. Invariant: after a block it equals what a read of the
 * series at that block gives. In the coin it is priced at the coin's price of the last block before its end, so that it
 * follows the coin for as long as blocks fall into its bucket, whether the token trades or not.
 */
export class OpenCandle {
  constructor(
    private readonly series: CandleSeries,
    private readonly coin: Hex,
    private readonly state: OpenCandleState,
  ) {}

  /** Start of the bucket that a block falls into. */
  static bucketOf(interval: Interval, { head }: TailEntry): number {
    return bucketStart(interval, head.time);
  }

  get seq(): number {
    return this.state.seq;
  }

  /** Whether a block at this time still falls into the newest candle. */
  isOpenAt(time: number): boolean {
    const { last } = this.state;
    return last !== null && time < bucketEnd(this.series.interval, last.time);
  }

  /** The candle that a block changed, in the currency of the series; null when none. What was taken before is ignored. */
  take({ seq, group, head }: TailEntry): Candle | null {
    const { state } = this;
    if (seq <= state.seq || group === null) return null;
    state.seq = seq;
    const { token, interval, currency } = this.series;
    const price = group.facts.references.find((reference) => reference.token === this.coin);
    const repriced = price !== undefined && price.usd !== state.coinUsd;
    if (price !== undefined) state.coinUsd = price.usd;
    const own = group.facts.references.find((reference) => reference.token === token);
    if (own !== undefined && state.stableUsd !== undefined) state.stableUsd = own.usd;
    const trades = group.tradesOf(token);
    if (trades.length === 0) {
      if (currency === 'usd' || !repriced || !this.isOpenAt(head.time)) return null;
      return state.last!.open === null ? null : nativeCandle(state.last!, state.coinUsd);
    }
    const time = bucketStart(interval, head.time);
    const { last } = state;
    if (last !== null && time < last.time) throw new RangeError(`block ${head.height} is older than the newest candle`);
    const bucket = last?.time === time ? CandleAccumulator.of(last) : new CandleAccumulator(time);
    for (const trade of trades) bucket.add(candleTrade(trade, token, state.stableUsd));
    state.last = bucket.candle();
    return currency === 'usd' ? state.last : nativeCandle(state.last, state.coinUsd);
  }
}
