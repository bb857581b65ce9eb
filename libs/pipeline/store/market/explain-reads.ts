import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { inTime } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { scaled } from './trade-reads.js';
import { type View, visible } from './view.js';

/** Places in the chain that answers name as what a number was computed from. */
export interface LogPlace {
  block: number;
  ordinal: number;
  tx: Hex;
}

export interface PricedPlace extends LogPlace {
  priceUsd: E36;
}

const orders = {
  open: 'block, ordinal',
  close: 'block DESC, ordinal DESC',
  high: 'price_usd DESC, block, ordinal',
  low: 'price_usd, block, ordinal',
} as const;

export type CandlePrice = keyof typeof orders;
export const candlePrices = Object.keys(orders) as CandlePrice[];

export interface CountedQuery {
  token: Hex;
  pool?: Hex;
  /** Unix ms; `toTime` is not included. */
  fromTime: number;
  toTime: number;
}

/** The counted trade of a token that is one of the prices of a candle. */
export async function countedTrade(
  tables: MarketTables,
  view: View,
  { token, pool, fromTime, toTime }: CountedQuery,
  price: CandlePrice,
): Promise<PricedPlace | null> {
  const rows = visible(view);
  const ofPool = pool === undefined ? '' : ' AND pool = unhex({pool:String})';
  const [found] = await tables.store.query<StoredPlace & { price_usd: string }>(
    `SELECT ${placeColumns}, price_usd FROM ${tables.database}.trades
     WHERE base = unhex({token:String}) AND counted AND price_usd IS NOT NULL AND ${inTime('from', 'to')}${ofPool} AND ${rows.sql}
     ORDER BY ${orders[price]} LIMIT 1 SETTINGS max_threads = 1`,
    { ...rows.params, token, ...(pool === undefined ? {} : { pool }), from: fromTime, to: toTime },
  );
  return found === undefined ? null : { ...readPlace(found), priceUsd: scaled(found.price_usd, 36)! };
}

/** The first or the last transfer of a token. */
export async function edgeTransfer(
  tables: MarketTables,
  view: View,
  token: Hex,
  edge: 'first' | 'last',
): Promise<LogPlace | null> {
  const rows = visible(view);
  const [found] = await tables.store.query<StoredPlace>(
    `SELECT ${placeColumns} FROM ${tables.database}.transfers WHERE token = unhex({token:String}) AND ${rows.sql}
     ORDER BY ${orders[edge === 'first' ? 'open' : 'close']} LIMIT 1 SETTINGS max_threads = 1`,
    { ...rows.params, token },
  );
  return found === undefined ? null : readPlace(found);
}

/** Height of the block that last stated the prices of the coin and the stables. */
export async function referenceBlock(tables: MarketTables, view: View): Promise<number | null> {
  const rows = visible(view);
  const [found] = await tables.store.query<{ block: string }>(
    `SELECT block FROM ${tables.database}.reference_prices WHERE ${rows.sql} ORDER BY seq DESC LIMIT 1 SETTINGS max_threads = 1`,
    rows.params,
  );
  return found === undefined ? null : Number(found.block);
}

const placeColumns = 'block, ordinal, lower(hex(tx)) AS tx_hex';

interface StoredPlace {
  block: string;
  ordinal: number;
  tx_hex: string;
}

const readPlace = ({ block, ordinal, tx_hex }: StoredPlace): LogPlace => ({
  ...{ block: Number(block), ordinal: Number(ordinal), tx: tx_hex },
});
