import type { Hex } from '#libs/core/ids.js';
import { parseDecimal } from '#libs/core/money.js';
import {
  bucketEnd,
  bucketStart,
  type Candle,
  CandleAccumulator,
  type CandleTrade,
  type Interval,
  volumesOf,
} from '#libs/pipeline/fold/candles.js';
import { blockAt } from './block-reads.js';
import { bucketSql, intervalSeconds, storedIntervalOf } from './candle-intervals.js';
import { candleOfTrades, inTime, tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { readUncounted, scaled, WHY_UNCOUNTED } from './trade-reads.js';
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
  /** The token may have few trades: all of them are looked for before a page of its past is. */
  mayBeFew?: boolean;
}

/** How far to look back for enough buckets, in lengths of the page asked for; after the last, everything. */
const LOOKS_BACK = [2, 64];

/** Ascending. Looks back from `toTime` in widening windows, so that the cost follows the limit and not the history. */
export async function candleBuckets(tables: MarketTables, view: View, query: CandlesQuery): Promise<CandleRow[]> {
  const floor = firstBucket(query.interval, query.fromTime);
  let to = query.toTime > 0 ? bucketEnd(query.interval, bucketStart(query.interval, query.toTime - 1)) : 0;
  if (query.mayBeFew) {
    const buckets = await bucketsOfFew(tables, view, { ...query, fromTime: floor, toTime: to });
    if (buckets !== null) return buckets;
  }
  const sealedTime = query.pool === undefined ? await sealedUpTo(tables, view) : 0;
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
    open.fromTime < open.toTime ? tradeBuckets(tables, view, open) : [],
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
      sum(coalesce(COLUMNS('^loop_volume_usd$'), toDecimal256(0, 18))) AS loop_usd,
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

async function tradeBuckets(tables: MarketTables, view: View, query: CandlesQuery): Promise<CandleRow[]> {
  const rows = visible(view);
  const ofPool = query.pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const of = (side: string): string =>
    `${side} = unhex({token:String}) AND ${inTime('from', 'to')} AND ${rows.sql}${ofPool}`;
  const sql = `
    SELECT ${bucketSql(query.interval, 'toUnixTimestamp(time)')} AS start, ${candleOfTrades}
    FROM (${tradeSides(tables.database, { base: of('base'), quote: of('quote') })})
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

/** The buckets of all trades of a range, one by one; null where these may be more than few. */
async function bucketsOfFew(tables: MarketTables, view: View, query: CandlesQuery): Promise<CandleRow[] | null> {
  const { token, pool, interval, fromTime, toTime, limit } = query;
  const rows = visible(view);
  const ofPool = pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const side = (column: 'base' | 'quote', table: string): string => `
    SELECT '${column}' AS role, block, ordinal, toUnixTimestamp64Milli(time) AS ms, side, ${WHY_UNCOUNTED}, price_usd, volume_usd, volume_coin
    FROM ${tables.database}.${table}
    WHERE ${column} = unhex({token:String}) AND ${inTime('from', 'to')} AND ${rows.sql}${ofPool}
    ORDER BY block DESC, ordinal DESC LIMIT {few:UInt32}`;
  const found = await tables.store.query<StoredSide>(
    `(${side('base', 'trades')}) UNION ALL (${side('quote', 'trades_by_quote')}) SETTINGS max_threads = 1`,
    {
      ...{ ...rows.params, token, from: fromTime, to: toTime, few: tables.fewRows },
      ...(pool !== undefined && { pool }),
    },
  );
  const ofBase = found.filter(({ role }) => role === 'base').length;
  if (Math.max(ofBase, found.length - ofBase) === tables.fewRows) return null;
  found.sort((a, b) => Number(a.block) - Number(b.block) || a.ordinal - b.ordinal);
  const buckets = new Map<number, { candle: CandleAccumulator; closeBlock: number }>();
  for (const row of found) {
    const time = bucketStart(interval, Number(row.ms));
    const { candle } = buckets.get(time) ?? { candle: new CandleAccumulator(time) };
    candle.add(sideOf(row));
    buckets.set(time, { candle, closeBlock: Number(row.block) });
  }
  const made = [...buckets.values()].map(({ candle, closeBlock }) => ({ ...candle.candle(), closeBlock }));
  return made.sort((a, b) => a.time - b.time).slice(-limit);
}

type StoredSide = Record<'block' | 'ms', string> &
  Record<'price_usd' | 'volume_usd' | 'volume_coin', string | null> & {
    role: 'base' | 'quote';
    ordinal: number;
    side: 'buy' | 'sell';
    why: string;
  };

/** What `tradeSide` makes of a row. */
function sideOf({ role, side, why, price_usd, volume_usd, volume_coin }: StoredSide): CandleTrade {
  const uncounted = readUncounted(why);
  const volumes = volumesOf({ uncounted, volumeUsd: scaled(volume_usd, 18), volumeCoin: scaled(volume_coin, 18) });
  if (role === 'base') return { side, counted: uncounted === null, priceUsd: scaled(price_usd, 36), ...volumes };
  return { side: side === 'buy' ? 'sell' : 'buy', counted: false, priceUsd: null, ...volumes };
}

type StoredCandle = Record<'start' | 'usd' | 'coin' | 'loop_usd' | 'trade_count' | 'buy_count' | 'last_block', string> &
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
    loopVolumeUsd: parseDecimal(row.loop_usd, 18),
    trades,
    buys,
    sells: trades - buys,
    closeBlock: Number(row.last_block),
  };
}
