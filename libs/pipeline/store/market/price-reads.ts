import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { Candle, Interval } from '#libs/pipeline/fold/candles.js';
import type { PriceFact, ReferencePrice } from '#libs/protocol/facts.js';
import type { QueryValue } from '../store.js';
import { bucketSql } from './candle-intervals.js';
import { inTime } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { newestRows } from './newest-rows.js';
import { scaled } from './trade-reads.js';
import { type Condition, type View, visible } from './view.js';

/** A price fact and the block at whose end it became true. */
export interface PriceRow extends PriceFact {
  seq: number;
  block: number;
  time: number;
}

/**
 * The newest price fact of each token that has one, or the newest of a block before `beforeTime` (Unix ms); `older` where the newest
 * groups are known to have none of these: the answer is the same.
 */
export async function prices(
  tables: MarketTables,
  view: View,
  tokens: readonly Hex[],
  beforeTime?: number,
  older = false,
): Promise<PriceRow[]> {
  const found = await newestRows<StoredPrice>(tables, pricesTable, before(visible(view), beforeTime), tokens, older);
  return found.map(readPrice);
}

export function readPrice(row: StoredPrice): PriceRow {
  return {
    token: row.token_hex,
    pool: row.pool_hex,
    quote: row.quote_hex,
    spot: scaled(row.spot, 36),
    level: row.level,
    backing: row.backing ?? null,
    seq: Number(row.seq),
    block: Number(row.block),
    time: Number(row.ms),
  };
}

/** USD prices of the coin and the stables: the newest set, or the newest of a block before `beforeTime` (Unix ms). */
export async function references(tables: MarketTables, view: View, beforeTime?: number): Promise<ReferencePrice[]> {
  const rows = before(visible(view), beforeTime);
  const found = await tables.store.query<{ token_hex: string; usd: string | null }>(
    `SELECT lower(hex(token)) AS token_hex, usd FROM ${tables.database}.reference_prices
     WHERE seq = (SELECT seq FROM ${tables.database}.reference_prices WHERE ${rows.sql} ORDER BY seq DESC LIMIT 1)
     ORDER BY token_hex SETTINGS max_threads = 1`,
    rows.params,
  );
  return found.map((row) => ({ token: row.token_hex, usd: scaled(row.usd, 36) }));
}

/** A reference token's USD price just before each time (Unix ms), in the order asked; null where it had none. */
export async function referenceAt(
  tables: MarketTables,
  view: View,
  token: Hex,
  times: readonly number[],
): Promise<(E36 | null)[]> {
  if (times.length === 0) return [];
  const first = Math.min(...times);
  const last = Math.max(...times);
  const rows = visible(view);
  const table = `${tables.database}.reference_prices`;
  const found = await tables.store.query<{ at: string; usd: string | null }>(
    `SELECT wanted.at AS at, known.usd AS usd
     FROM (SELECT toInt64(1) AS one, arrayJoin({times:Array(Int64)}) AS at) AS wanted
     ASOF JOIN (
       SELECT toInt64(1) AS one, toUnixTimestamp64Milli(time) AS ms, argMax(tuple(usd), seq).1 AS usd FROM ${table}
       WHERE token = unhex({token:String}) AND time < fromUnixTimestamp64Milli({last:Int64}, 'UTC') AND ${rows.sql}
         AND seq >= (SELECT max(seq) FROM (
           SELECT seq FROM ${table} WHERE token = unhex({token:String}) AND ${rows.sql}
             AND time < fromUnixTimestamp64Milli({first:Int64}, 'UTC') ORDER BY seq DESC LIMIT 1))
       GROUP BY ms
     ) AS known ON wanted.one = known.one AND wanted.at > known.ms
     SETTINGS max_threads = 1`,
    { ...rows.params, token, times: [...new Set(times)], first, last },
  );
  const byTime = new Map(found.map((row) => [Number(row.at), scaled(row.usd, 36)]));
  return times.map((time) => byTime.get(time) ?? null);
}

/** The column, where the table has it: tables of another fold version keep the schema of the program that writes them. */
export const BACKING = "COLUMNS('^backing$')";

export const pricesTable = {
  table: 'prices',
  key: 'token',
  long: true,
  columns: `lower(hex(token)) AS token_hex, seq, block, toUnixTimestamp64Milli(time) AS ms, lower(hex(pool)) AS pool_hex,
    lower(hex(quote)) AS quote_hex, spot, level, ${BACKING}`,
};

export type StoredPrice = Record<'token_hex' | 'seq' | 'block' | 'ms', string> & {
  pool_hex: string | null;
  quote_hex: string | null;
  spot: string | null;
  level: number;
  backing?: string | null;
};

/** Only rows of blocks before a time (Unix ms). */
export function before(rows: Condition, time: number | undefined): Condition {
  if (time === undefined) return rows;
  const params: Record<string, QueryValue> = { ...rows.params, before_time: time };
  return { sql: `${rows.sql} AND time < fromUnixTimestamp64Milli({before_time:Int64}, 'UTC')`, params };
}

export interface ReferenceQuery {
  token: Hex;
  interval: Interval;
  /** Whole buckets in [fromTime, toTime), Unix ms. */
  fromTime: number;
  toTime: number;
}

/** The least and the greatest USD price that blocks of each bucket left a reference token with, where they state any. */
export async function referenceSpans(
  tables: MarketTables,
  view: View,
  query: ReferenceQuery,
): Promise<{ time: number; low: E36; high: E36 }[]> {
  const rows = visible(view);
  const found = await tables.store.query<{ start: string; low: string; high: string }>(
    `SELECT ${bucketSql(query.interval, 'toUnixTimestamp(time)')} AS start, assumeNotNull(min(usd)) AS low,
       assumeNotNull(max(usd)) AS high
     FROM ${tables.database}.reference_prices
     WHERE token = unhex({token:String}) AND usd IS NOT NULL AND ${inTime('from', 'to')} AND ${rows.sql}
     GROUP BY start SETTINGS max_threads = 1`,
    { ...rows.params, token: query.token, from: query.fromTime, to: query.toTime },
  );
  return found.map(({ start, low, high }) => ({
    ...{ time: Number(start) * 1000, low: scaled(low, 36)!, high: scaled(high, 36)! },
  }));
}

/** Prices of a reference token at the ends of the blocks with a trade of it, by bucket. */
export async function referenceAtTrades(
  tables: MarketTables,
  view: View,
  query: ReferenceQuery,
): Promise<Pick<Candle, 'time' | 'open' | 'high' | 'low' | 'close'>[]> {
  const rows = visible(view);
  const { database } = tables;
  const traded = (table: string, side: string) =>
    `SELECT block, time FROM ${database}.${table} WHERE ${side} = unhex({token:String}) AND ${inTime('from', 'to')} AND ${rows.sql}`;
  const found = await tables.store.query<Record<'start' | 'first_usd' | 'high_usd' | 'low_usd' | 'last_usd', string>>(
    `SELECT ${bucketSql(query.interval, 'toUnixTimestamp(traded.time)')} AS start, argMin(known.price, traded.block) AS first_usd,
       max(known.price) AS high_usd, min(known.price) AS low_usd, argMax(known.price, traded.block) AS last_usd
     FROM (
       SELECT DISTINCT toInt64(1) AS one, block, time
       FROM (${traded('trades', 'base')} UNION ALL ${traded('trades_by_quote', 'quote')})
     ) AS traded
     ASOF JOIN (
       SELECT toInt64(1) AS one, block, argMax(assumeNotNull(usd), seq) AS price FROM ${database}.reference_prices
       WHERE token = unhex({token:String}) AND usd IS NOT NULL AND ${rows.sql} GROUP BY block
     ) AS known ON traded.one = known.one AND traded.block >= known.block
     GROUP BY start SETTINGS max_threads = 1`,
    { ...rows.params, token: query.token, from: query.fromTime, to: query.toTime },
  );
  return found.map((row) => ({
    time: Number(row.start) * 1000,
    ...{ open: scaled(row.first_usd, 36), high: scaled(row.high_usd, 36) },
    ...{ low: scaled(row.low_usd, 36), close: scaled(row.last_usd, 36) },
  }));
}
