import type { Hex } from '#libs/core/ids.js';
import { parseDecimal } from '#libs/core/money.js';
import { bucketEnd, bucketStart, type Candle, type Interval } from '#libs/fold/candles.js';
import { blockAt } from './block-reads.js';
import { bucketSql, intervalSeconds, storedIntervalOf } from './candle-intervals.js';
import { tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { scaled } from './trade-reads.js';
import { type View, visible } from './view.js';

/** A bucket that has trades. Prices are null when none of its trades may move them. */
export interface CandleRow extends Candle {
  /** Height of the last block with a trade in it. */
  closeBlock: number;
}

export interface CandlesQuery {
  token: Hex;
  /** Only this pool's trades. */
  pool?: Hex;
  interval: Interval;
  /** Buckets that start in [fromTime, toTime), Unix ms; the newest `limit` of them. */
  fromTime: number;
  toTime: number;
  limit: number;
}

/** Each further look back spans this many times the time of the one before. */
const WIDENING = 32;

/** Ascending. Looks back from `toTime` in widening windows, so that the cost follows the limit and not the history. */
export async function candleBuckets(tables: MarketTables, view: View, query: CandlesQuery): Promise<CandleRow[]> {
  const sealedTime = query.pool === undefined ? await sealedUpTo(tables, view) : 0;
  const floor = firstBucket(query.interval, query.fromTime);
  let to = query.toTime > 0 ? bucketEnd(query.interval, bucketStart(query.interval, query.toTime - 1)) : 0;
  let span = Math.max(2 * query.limit * intervalSeconds(query.interval) * 1000, 3_600_000);
  const found: CandleRow[] = [];
  while (to > floor && found.length < query.limit) {
    const from = Math.max(floor, bucketStart(query.interval, Math.max(0, to - span)));
    const wanted = { ...query, fromTime: from, toTime: to, limit: query.limit - found.length };
    found.push(...(await newestBuckets(tables, view, wanted, sealedTime)));
    to = from;
    span *= WIDENING;
  }
  return found.reverse();
}

function firstBucket(interval: Interval, fromTime: number): number {
  const start = bucketStart(interval, Math.max(0, fromTime));
  return start >= fromTime ? start : bucketEnd(interval, start);
}

/** A view of an older block uses only sealed buckets that were closed by then. */
async function sealedUpTo(tables: MarketTables, view: View): Promise<number> {
  if (view.asOfBlock === undefined) return view.sealedTime;
  const block = await blockAt(tables, view, view.asOfBlock);
  return block === null ? view.sealedTime : Math.min(view.sealedTime, block.time);
}

async function newestBuckets(
  tables: MarketTables,
  view: View,
  query: CandlesQuery,
  sealedTime: number,
): Promise<CandleRow[]> {
  const { database, store } = tables;
  const rows = visible(view);
  const stored = storedIntervalOf(query.interval);
  const cut = stored === null ? 0 : Math.floor(sealedTime / (stored * 1000)) * stored;
  const inTime =
    "time >= fromUnixTimestamp64Milli({trades_from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')";
  const ofPool = query.pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const sides = tradeSides(database, {
    base: `base = unhex({token:String}) AND ${inTime} AND ${rows.sql}${ofPool}`,
    quote: `quote = unhex({token:String}) AND ${inTime} AND ${rows.sql}${ofPool}`,
  });
  const sql = `
    SELECT ${bucketSql(query.interval, 'part_start')} AS start,
      argMinIf(open, place, open IS NOT NULL) AS first_price, max(high) AS high_price, min(low) AS low_price,
      argMaxIf(close, place, close IS NOT NULL) AS last_price,
      sum(volume_usd) AS usd, sum(volume_coin) AS coin, sum(trades) AS trade_count, sum(buys) AS buy_count, sum(sells) AS sell_count, max(close_block) AS last_block
    FROM (
      SELECT * FROM (
        SELECT toInt64(bucket) AS part_start, (toUInt64(0), toUInt64(bucket)) AS place, open, high, low, close, volume_usd, volume_coin, trades, buys, sells, close_block
        FROM ${database}.candles
        WHERE interval = {stored:UInt32} AND token = unhex({token:String}) AND bucket >= {sealed_from:Int64} AND bucket < {sealed_to:Int64} AND seal_seq <= {seal_seq:Int64}
        ORDER BY bucket DESC, seal_seq DESC LIMIT 1 BY bucket
      )
      UNION ALL
      SELECT toInt64(toUnixTimestamp(time)), (block + 1, toUInt64(ordinal)), price, price, price, price, usd, coin,
        toUInt64(1), toUInt64(bought), toUInt64(NOT bought), block
      FROM (${sides})
    )
    WHERE trades > 0 GROUP BY start ORDER BY start DESC LIMIT {limit:UInt32} SETTINGS max_threads = 1`;
  const found = await store.query<StoredCandle>(sql, {
    ...rows.params,
    ...(query.pool === undefined ? {} : { pool: query.pool }),
    token: query.token,
    stored: stored ?? 0,
    sealed_from: query.fromTime / 1000,
    sealed_to: Math.min(query.toTime / 1000, cut),
    seal_seq: view.sealSeq,
    trades_from: Math.max(query.fromTime, cut * 1000),
    to_ms: query.toTime,
    limit: query.limit,
  });
  return found.map(readCandle);
}

type StoredCandle = Record<
  'start' | 'usd' | 'coin' | 'trade_count' | 'buy_count' | 'sell_count' | 'last_block',
  string
> &
  Record<'first_price' | 'high_price' | 'low_price' | 'last_price', string | null>;

function readCandle(row: StoredCandle): CandleRow {
  return {
    time: Number(row.start) * 1000,
    open: scaled(row.first_price, 36),
    high: scaled(row.high_price, 36),
    low: scaled(row.low_price, 36),
    close: scaled(row.last_price, 36),
    volumeUsd: parseDecimal(row.usd, 18),
    volumeCoin: parseDecimal(row.coin, 18),
    trades: Number(row.trade_count),
    buys: Number(row.buy_count),
    sells: Number(row.sell_count),
    closeBlock: Number(row.last_block),
  };
}
