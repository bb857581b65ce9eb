import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import type { QueryValue } from '../store.js';
import { tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

export interface StatsWindow {
  /** Trades at or after this time (Unix ms, by block time) count. */
  fromTime: number;
  /** Wallets that are counted elsewhere already and are no buyers or sellers here. */
  countedBuyers?: readonly Hex[];
  countedSellers?: readonly Hex[];
}

/** Sums over a token's trades of one window, from either side of its swaps. */
export interface WindowStats {
  volumeUsd: E18;
  volumeCoin: E18;
  trades: number;
  buys: number;
  sells: number;
  buyers: number;
  sellers: number;
}

/** One entry for each window, in their order, from one scan; with `pool` of that pool's trades alone. */
export async function tokenStats(
  tables: MarketTables,
  view: View,
  token: Hex,
  windows: readonly StatsWindow[],
  pool?: Hex,
): Promise<WindowStats[]> {
  if (windows.length === 0) return [];
  const rows = visible(view);
  const ofPool = pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const inTime = `time >= fromUnixTimestamp64Milli({first:Int64}, 'UTC')${ofPool}`;
  const sides = tradeSides(tables.database, {
    base: `base = unhex({token:String}) AND ${inTime} AND ${rows.sql}`,
    quote: `quote = unhex({token:String}) AND ${inTime} AND ${rows.sql}`,
  });
  const params: Record<string, QueryValue> = { ...rows.params, token, ...(pool === undefined ? {} : { pool }) };
  params.first = Math.min(...windows.map(({ fromTime }) => fromTime));
  const columns = windows.map((window, index) => windowColumns(window, index, params));
  const [sums] = await tables.store.query<Record<string, string>>(
    `SELECT ${columns.join(', ')} FROM (${sides}) SETTINGS max_threads = 1`,
    params,
  );
  return windows.map((_, index) => readWindow(sums!, index));
}

function windowColumns(window: StatsWindow, index: number, params: Record<string, QueryValue>): string {
  params[`start_${index}`] = window.fromTime;
  const inside = `time >= fromUnixTimestamp64Milli({start_${index}:Int64}, 'UTC')`;
  const unless = (name: string, counted: readonly Hex[] | undefined) => {
    if (counted === undefined || counted.length === 0) return '';
    params[`${name}_${index}`] = [...counted];
    return ` AND NOT has(arrayMap(id -> unhex(id), {${name}_${index}:Array(String)}), wallet)`;
  };
  const buyer = `${inside} AND bought${unless('counted_buyers', window.countedBuyers)}`;
  const seller = `${inside} AND NOT bought${unless('counted_sellers', window.countedSellers)}`;
  return `sumIf(usd_volume, ${inside}) AS usd_${index}, sumIf(coin_volume, ${inside}) AS coin_${index}, countIf(${inside}) AS trades_${index},
    countIf(bought AND ${inside}) AS buys_${index}, uniqExactIf(wallet, ${buyer}) AS buyers_${index},
    uniqExactIf(wallet, ${seller}) AS sellers_${index}`;
}

function readWindow(sums: Record<string, string>, index: number): WindowStats {
  const trades = Number(sums[`trades_${index}`]);
  const buys = Number(sums[`buys_${index}`]);
  return {
    volumeUsd: parseDecimal(sums[`usd_${index}`]!, 18),
    volumeCoin: parseDecimal(sums[`coin_${index}`]!, 18),
    trades,
    buys,
    sells: trades - buys,
    buyers: Number(sums[`buyers_${index}`]),
    sellers: Number(sums[`sellers_${index}`]),
  };
}
