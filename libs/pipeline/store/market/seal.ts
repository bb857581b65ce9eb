import { RowBuffer } from '../row-buffer.js';
import { candleOfTrades, inTime, storedIntervals, tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

export interface SealRange {
  /** Buckets that end after `fromTime` and at or before `toTime` (Unix ms) are written. */
  fromTime: number;
  toTime: number;
  /** Stamp of the versions: the seq of the view they are computed at. */
  sealSeq: number;
  view: View;
}

/**
 * Writes candles of closed buckets as versions stamped with `sealSeq`. Where an earlier seal may have written into the
 * range, every bucket of it that has no trades any more gets a tombstone (protocol rules 17, 18). A repeat writes the
 * same versions again; for a reader that is the same as once.
 */
export async function sealCandles(tables: MarketTables, range: SealRange): Promise<void> {
  const reseal = await wasSealedBefore(tables, range.fromTime);
  await recordSeal(tables, range);
  for (const interval of storedIntervals) {
    const from = Math.floor(range.fromTime / (interval * 1000)) * interval;
    const to = Math.floor(range.toTime / (interval * 1000)) * interval;
    if (to > from) await sealInterval(tables, range, { interval, from, to }, reseal);
  }
}

async function wasSealedBefore(tables: MarketTables, fromTime: number): Promise<boolean> {
  const rows = await tables.store.query<{ newest: string }>(
    `SELECT max(to_time) AS newest FROM ${tables.database}.seals SETTINGS max_threads = 1`,
  );
  return Number(rows[0]?.newest ?? 0) > fromTime;
}

/** Before the candles themselves: a seal that was cut short must be known to the next one. */
async function recordSeal(tables: MarketTables, { sealSeq, fromTime, toTime }: SealRange): Promise<void> {
  const row = new RowBuffer(32);
  row.uint64(sealSeq);
  row.uint64(fromTime);
  row.uint64(toTime);
  await tables.store.insert(`${tables.database}.seals`, ['seal_seq', 'from_time', 'to_time'], row.take(), null);
}

interface Buckets {
  /** Seconds; buckets that start in [from, to). */
  interval: number;
  from: number;
  to: number;
}

async function sealInterval(tables: MarketTables, range: SealRange, buckets: Buckets, reseal: boolean): Promise<void> {
  const { database, store } = tables;
  const rows = visible(range.view);
  const condition = `${inTime('from_ms', 'to_ms')} AND ${rows.sql}`;
  const columns =
    'interval, token, bucket, seal_seq, open, high, low, close, volume_usd, volume_coin, loop_volume_usd, trades, buys, sells, close_block';
  const params = {
    ...rows.params,
    interval: buckets.interval,
    from: buckets.from,
    to: buckets.to,
    from_ms: buckets.from * 1000,
    to_ms: buckets.to * 1000,
    seal_seq: range.sealSeq,
  };
  const sealed = `
    SELECT {interval:UInt32}, token, bucket, {seal_seq:UInt64}, first_price, high_price, low_price, last_price, usd, coin, loop_usd, trade_count,
      buy_count, trade_count - buy_count, last_block
    FROM (
      SELECT token, ${bucketOfTrade} AS bucket, ${candleOfTrades}
      FROM (${tradeSides(database, { base: condition, quote: condition })}) GROUP BY token, bucket
    ) WHERE ${tables.mayWrite}`;
  if (reseal) await store.command(tombstones(tables, columns, condition), params);
  await store.command(`INSERT INTO ${database}.candles (${columns}) ${sealed}`, params);
}

const bucketOfTrade = 'toUInt32(intDiv(toUnixTimestamp(time), {interval:UInt32}) * {interval:UInt32})';

/** A row without trades for every bucket that has a candle now and no visible trade any more. */
function tombstones({ database, mayWrite }: MarketTables, columns: string, condition: string): string {
  return `
    INSERT INTO ${database}.candles (${columns})
    SELECT interval, token, bucket, {seal_seq:UInt64}, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0
    FROM (
      SELECT interval, token, bucket, trades FROM ${database}.candles
      WHERE interval = {interval:UInt32} AND bucket >= {from:UInt32} AND bucket < {to:UInt32} AND seal_seq <= {seal_seq:UInt64}
      ORDER BY interval, token, bucket, seal_seq DESC LIMIT 1 BY interval, token, bucket
    )
    WHERE ${mayWrite} AND trades > 0 AND (token, bucket) NOT IN (
      SELECT base, ${bucketOfTrade} FROM ${database}.trades WHERE ${condition}
      UNION ALL
      SELECT quote, ${bucketOfTrade} FROM ${database}.trades_by_quote WHERE ${condition}
    )`;
}
