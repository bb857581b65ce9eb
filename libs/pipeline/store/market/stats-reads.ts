import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import type { QueryValue } from '../store.js';
import { tradeSides } from './candle-sql.js';
import { inPieces } from './id-pieces.js';
import type { MarketTables } from './market-tables.js';
import { ofIds } from './newest-rows.js';
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
  /** Of trades that their block undid: in no other sum. */
  loopVolumeUsd: E18;
  trades: number;
  buys: number;
  sells: number;
  buyers: number;
  sellers: number;
}

/** More wallets than these are looked for on their own: in the sums each would be compared with every row. */
const MOST_COMPARED = 32;

/** One entry for each window, in their order; with `pool` of that pool's trades alone. */
export async function tokenStats(
  tables: MarketTables,
  view: View,
  token: Hex,
  windows: readonly StatsWindow[],
  pool?: Hex,
): Promise<WindowStats[]> {
  if (windows.length === 0) return [];
  const counted = new Set<Hex>();
  for (const { countedBuyers = [], countedSellers = [] } of windows)
    for (const wallet of [...countedBuyers, ...countedSellers]) counted.add(wallet);
  const trades = new WindowTrades(tables, view, token, Math.min(...windows.map(({ fromTime }) => fromTime)), pool);
  if (counted.size <= MOST_COMPARED) return trades.sums(windows);
  const [sums, { bought, sold }] = await Promise.all([
    trades.sums(windows.map(({ fromTime }) => ({ fromTime }))),
    trades.lastOf([...counted]),
  ]);
  const seen = (wallets: readonly Hex[] = [], last: ReadonlyMap<Hex, number>, fromTime: number): number =>
    wallets.filter((wallet) => (last.get(wallet) ?? Number.NEGATIVE_INFINITY) >= fromTime).length;
  return windows.map(({ fromTime, countedBuyers, countedSellers }, index) => ({
    ...sums[index]!,
    buyers: sums[index]!.buyers - seen(countedBuyers, bought, fromTime),
    sellers: sums[index]!.sellers - seen(countedSellers, sold, fromTime),
  }));
}

/** The visible trades of a token, or of it in one pool, from a time on. */
class WindowTrades {
  private readonly params: Record<string, QueryValue>;

  constructor(
    private readonly tables: MarketTables,
    private readonly view: View,
    token: Hex,
    first: number,
    private readonly pool: Hex | undefined,
  ) {
    this.params = { ...visible(view).params, token, first, ...(pool === undefined ? {} : { pool }) };
  }

  /** From one scan. */
  async sums(windows: readonly StatsWindow[]): Promise<WindowStats[]> {
    const params = { ...this.params };
    const columns = windows.map((window, index) => windowColumns(window, index, params));
    const [sums] = await this.tables.store.query<Record<string, string>>(
      `SELECT ${columns.join(', ')} FROM (${this.sides()}) SETTINGS max_threads = 1`,
      params,
    );
    return windows.map((_, index) => readWindow(sums!, index));
  }

  /** When each of the wallets last bought and last sold; those that did not are left out. */
  async lastOf(wallets: readonly Hex[]): Promise<Record<'bought' | 'sold', Map<Hex, number>>> {
    const rows = await inPieces(wallets, (piece) => {
      const named = ofIds('wallet', piece, 'wallet');
      return this.tables.store.query<{ wallet_hex: string; is_buyer: number; ms: string }>(
        `SELECT lower(hex(wallet)) AS wallet_hex, toUInt8(bought) AS is_buyer, toUnixTimestamp64Milli(max(time)) AS ms
         FROM (${this.sides(` AND ${named.sql}`)}) GROUP BY wallet, bought SETTINGS max_threads = 1`,
        { ...this.params, ...named.params },
      );
    });
    const last = { bought: new Map<Hex, number>(), sold: new Map<Hex, number>() };
    for (const { wallet_hex, is_buyer, ms } of rows)
      last[is_buyer === 1 ? 'bought' : 'sold'].set(wallet_hex, Number(ms));
    return last;
  }

  private sides(more = ''): string {
    const ofPool = this.pool === undefined ? '' : ' AND pool = unhex({pool:String})';
    const rest = `time >= fromUnixTimestamp64Milli({first:Int64}, 'UTC')${ofPool} AND ${visible(this.view).sql}${more}`;
    return tradeSides(this.tables.database, {
      base: `base = unhex({token:String}) AND ${rest}`,
      quote: `quote = unhex({token:String}) AND ${rest}`,
    });
  }
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
  return `sumIf(usd_volume, ${inside}) AS usd_${index}, sumIf(coin_volume, ${inside}) AS coin_${index},
    sumIf(loop_volume, ${inside}) AS loop_${index}, countIf(${inside}) AS trades_${index},
    countIf(bought AND ${inside}) AS buys_${index}, uniqExactIf(wallet, ${buyer}) AS buyers_${index},
    uniqExactIf(wallet, ${seller}) AS sellers_${index}`;
}

function readWindow(sums: Record<string, string>, index: number): WindowStats {
  const trades = Number(sums[`trades_${index}`]);
  const buys = Number(sums[`buys_${index}`]);
  return {
    volumeUsd: parseDecimal(sums[`usd_${index}`]!, 18),
    volumeCoin: parseDecimal(sums[`coin_${index}`]!, 18),
    loopVolumeUsd: parseDecimal(sums[`loop_${index}`]!, 18),
    trades,
    buys,
    sells: trades - buys,
    buyers: Number(sums[`buyers_${index}`]),
    sellers: Number(sums[`sellers_${index}`]),
  };
}
