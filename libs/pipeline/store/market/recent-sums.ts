import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import { tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/** Sums over a token's trades of blocks of one time, from either side of its swaps. */
interface TimeSums {
  readonly time: number;
  readonly volumeUsd: E18;
  readonly volumeCoin: E18;
  readonly loopVolumeUsd: E18;
  readonly trades: number;
  readonly buys: number;
}

/** When a wallet last bought a token and last sold it; null where it did not. */
interface LastTimes {
  readonly wallet: Hex;
  readonly bought: number | null;
  readonly sold: number | null;
}

export interface RecentSums {
  readonly times: TimeSums[];
  readonly wallets: LastTimes[];
}

/**
 * The trades of a token at or after a time (Unix ms), summed by time and by wallet: windows that begin at any time since then follow
 * from these. Times ascend; the first `limit` of times and of wallets.
 */
export async function recentSums(
  tables: MarketTables,
  view: View,
  token: Hex,
  fromTime: number,
  limit: number,
): Promise<RecentSums> {
  const rows = visible(view);
  const params = { ...rows.params, token, from: fromTime, limit };
  const rest = `time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ${rows.sql}`;
  const sides = tradeSides(tables.database, {
    base: `base = unhex({token:String}) AND ${rest}`,
    quote: `quote = unhex({token:String}) AND ${rest}`,
  });
  const [times, wallets] = await Promise.all([
    tables.store.query<Record<'ms' | 'usd' | 'coin' | 'loop_usd' | 'trade_count' | 'buy_count', string>>(
      `SELECT toUnixTimestamp64Milli(time) AS ms, toString(sum(usd_volume)) AS usd, toString(sum(coin_volume)) AS coin,
         toString(sum(loop_volume)) AS loop_usd,         count() AS trade_count, countIf(bought) AS buy_count
       FROM (${sides}) GROUP BY time ORDER BY time LIMIT {limit:UInt32} SETTINGS max_threads = 1`,
      params,
    ),
    tables.store.query<{ wallet_hex: string; bought_ms: string | null; sold_ms: string | null }>(
      `SELECT lower(hex(wallet)) AS wallet_hex, toUnixTimestamp64Milli(maxOrNullIf(time, bought)) AS bought_ms,
         toUnixTimestamp64Milli(maxOrNullIf(time, NOT bought)) AS sold_ms
       FROM (${sides}) GROUP BY wallet ORDER BY wallet LIMIT {limit:UInt32} SETTINGS max_threads = 1`,
      params,
    ),
  ]);
  return {
    times: times.map(({ ms, usd, coin, loop_usd, trade_count, buy_count }) => ({
      ...{ time: Number(ms), volumeUsd: parseDecimal(usd, 18), volumeCoin: parseDecimal(coin, 18) },
      loopVolumeUsd: parseDecimal(loop_usd, 18),
      ...{ trades: Number(trade_count), buys: Number(buy_count) },
    })),
    wallets: wallets.map(({ wallet_hex, bought_ms, sold_ms }) => ({
      ...{ wallet: wallet_hex, bought: timeOf(bought_ms), sold: timeOf(sold_ms) },
    })),
  };
}

const timeOf = (ms: string | null): number | null => (ms === null ? null : Number(ms));
