import type { Hex } from '#libs/core/ids.js';
import { bucketStart, CandleAccumulator, type Interval } from '#libs/pipeline/fold/candles.js';
import type { CandleRow, CandlesQuery } from '#libs/pipeline/store/market/candle-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import { candleTrade } from '../trade-side.js';
import type { HotState } from './hot-states.js';

interface Series {
  token: Hex;
  pool?: Hex;
  interval: Interval;
}

/** The newest buckets of a token that have trades, ascending; all of them where `complete`. */
export class NewestCandles implements HotState {
  private readonly capacity: number;

  constructor(
    private readonly series: Series,
    private rows: CandleRow[],
    private complete: boolean,
  ) {
    this.capacity = Math.max(rows.length, 64);
  }

  get bytes(): number {
    return this.rows.length * 520;
  }

  /** Null where older ones are wanted than are held. */
  buckets({ fromTime, toTime, limit }: Pick<CandlesQuery, 'fromTime' | 'toTime' | 'limit'>): CandleRow[] | null {
    const found = this.rows.filter(({ time }) => time >= fromTime && time < toTime).slice(-limit);
    const [oldest] = this.rows;
    return this.complete || found.length === limit || (oldest !== undefined && oldest.time <= fromTime) ? found : null;
  }

  apply(group: TailGroup): boolean {
    const { token, pool, interval } = this.series;
    const { height, time: at } = group.facts;
    const trades = group.tradesOf(token).filter((trade) => pool === undefined || trade.pool === pool);
    if (trades.length === 0) return true;
    const time = bucketStart(interval, at);
    const last = this.rows.at(-1);
    if (last !== undefined && last.time > time) return false;
    const open = last?.time === time;
    const bucket = open ? CandleAccumulator.of(last) : new CandleAccumulator(time);
    for (const trade of trades) bucket.add(candleTrade(trade, token));
    const row = { ...bucket.candle(), closeBlock: height };
    this.rows = [...(open ? this.rows.slice(0, -1) : this.rows), row];
    if (this.rows.length > 2 * this.capacity) {
      this.rows = this.rows.slice(-this.capacity);
      this.complete = false;
    }
    return true;
  }
}
