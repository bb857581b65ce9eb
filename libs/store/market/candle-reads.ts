import type { Hex } from '#libs/core/ids.js';
import { parseDecimal } from '#libs/core/money.js';
import { bucketEnd, bucketStart, type Candle, CandleAccumulator, type Interval } from '#libs/fold/candles.js';
import { blockAt } from './block-reads.js';
import { bucketSql, intervalSeconds, storedIntervalOf } from './candle-intervals.js';
import { candleOfTrades, inTime, tradeSide } from './candle-sql.js';
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

/** How far to look back for enough buckets, in lengths of the page asked for; after the last, everything. */
const LOOKS_BACK = [2, 64];

/** Ascending. Looks back from `toTime` in widening windows, so that the cost follows the limit and not the history. */
export async function candleBuckets(tables: MarketTables, view: View, query: CandlesQuery): Promise<CandleRow[]> {
  const sealedTime = query.pool === undefined ? await sealedUpTo(tables, view) : 0;
  const floor = firstBucket(query.interval, query.fromTime);
  let to = query.toTime > 0 ? bucketEnd(query.interval, bucketStart(query.interval, query.toTime - 1)) : 0;
  const page = Math.max(query.limit * intervalSeconds(query.interval) * 1000, 1_800_000);
  const found: CandleRow[] = [];
  for (const pages of [...LOOKS_BACK, Number.POSITIVE_INFINITY]) {
    if (to <= floor || found.length >= query.limit) break;
    const from = Math.max(floor, bucketStart(query.interval, Math.max(0, to - pages * page)));
    const wanted = { ...query, fromTime: from, toTime: to, limit: query.limit - found.length };
    found.push(...(await newestBuckets(tables, view, wanted, sealedTime)));
    to = from;
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

/** The newest buckets of a window, newest first: the sealed ones and those of the trades after them, merged. */
async function newestBuckets(
  tables: MarketTables,
  view: View,
  query: CandlesQuery,
  sealedTime: number,
): Promise<CandleRow[]> {
  const stored = storedIntervalOf(query.interval);
  const cut = stored === null ? 0 : Math.floor(sealedTime / (stored * 1000)) * stored * 1000;
  const sealed = { ...query, toTime: Math.min(query.toTime, cut) };
  const open = { ...query, fromTime: Math.max(query.fromTime, cut) };
  const parts = await Promise.all([
    sealed.fromTime < sealed.toTime ? sealedBuckets(tables, view, sealed, stored!) : [],
    open.fromTime < open.toTime ? tradeBuckets(tables, view, open, 'base') : [],
    open.fromTime < open.toTime ? tradeBuckets(tables, view, open, 'quote') : [],
  ]);
  const merged = new Map<number, CandleRow>();
  for (const row of parts.flat()) {
    const earlier = merged.get(row.time);
    merged.set(row.time, earlier === undefined ? row : joined(earlier, row));
  }
  return [...merged.values()].sort((a, b) => b.time - a.time).slice(0, query.limit);
}

function joined(earlier: CandleRow, later: CandleRow): CandleRow {
  const candle = CandleAccumulator.of(earlier);
  candle.append(later);
  return { ...candle.candle(), closeBlock: Math.max(earlier.closeBlock, later.closeBlock) };
}

async function sealedBuckets(
  tables: MarketTables,
  view: View,
  query: CandlesQuery,
  stored: number,
): Promise<CandleRow[]> {
  const sql = `
    SELECT ${bucketSql(query.interval, 'bucket')} AS start,
      argMinIf(open, bucket, open IS NOT NULL) AS first_price, max(high) AS high_price, min(low) AS low_price,
      argMaxIf(close, bucket, close IS NOT NULL) AS last_price, sum(volume_usd) AS usd, sum(volume_coin) AS coin,
      sum(trades) AS trade_count, sum(buys) AS buy_count, max(close_block) AS last_block
    FROM (
      SELECT * FROM ${tables.database}.candles
      WHERE interval = {stored:UInt32} AND token = unhex({token:String}) AND bucket >= {from:Int64} AND bucket < {to:Int64}
        AND seal_seq <= {seal_seq:Int64}
      ORDER BY bucket DESC, seal_seq DESC LIMIT 1 BY bucket
    )
    WHERE trades > 0 GROUP BY start ORDER BY start DESC LIMIT {limit:UInt32} SETTINGS max_threads = 1`;
  const found = await tables.store.query<StoredCandle>(sql, {
    token: query.token,
    stored,
    from: query.fromTime / 1000,
    to: query.toTime / 1000,
    seal_seq: view.sealSeq,
    limit: query.limit,
  });
  return found.map(readCandle);
}

async function tradeBuckets(
  tables: MarketTables,
  view: View,
  query: CandlesQuery,
  side: 'base' | 'quote',
): Promise<CandleRow[]> {
  const rows = visible(view);
  const condition = `${side} = unhex({token:String}) AND ${inTime('from', 'to')} AND ${rows.sql}`;
  const ofPool = query.pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const sql = `
    SELECT ${bucketSql(query.interval, 'toUnixTimestamp(time)')} AS start, ${candleOfTrades}
    FROM (${tradeSide(tables.database, side, condition + ofPool)})
    GROUP BY start ORDER BY start DESC LIMIT {limit:UInt32} SETTINGS max_threads = 1`;
  const found = await tables.store.query<StoredCandle>(sql, {
    ...rows.params,
    ...(query.pool === undefined ? {} : { pool: query.pool }),
    token: query.token,
    from: query.fromTime,
    to: query.toTime,
    limit: query.limit,
  });
  return found.map(readCandle);
}

type StoredCandle = Record<'start' | 'usd' | 'coin' | 'trade_count' | 'buy_count' | 'last_block', string> &
  Record<'first_price' | 'high_price' | 'low_price' | 'last_price', string | null>;

function readCandle(row: StoredCandle): CandleRow {
  const [trades, buys] = [Number(row.trade_count), Number(row.buy_count)];
  return {
    time: Number(row.start) * 1000,
    open: scaled(row.first_price, 36),
    high: scaled(row.high_price, 36),
    low: scaled(row.low_price, 36),
    close: scaled(row.last_price, 36),
    volumeUsd: parseDecimal(row.usd, 18),
    volumeCoin: parseDecimal(row.coin, 18),
    trades,
    buys,
    sells: trades - buys,
    closeBlock: Number(row.last_block),
  };
}
