import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import { type TradeVolumes, volumesOf } from '#libs/pipeline/fold/candles.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import { inTime } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { ofIds, POINT_READ } from './newest-rows.js';
import { type PriceRow, pricesTable, readPrice, type StoredPrice } from './price-reads.js';
import { readUncounted, scaled, WHY_UNCOUNTED } from './trade-reads.js';
import { type View, visible } from './view.js';

/** Reads of everything since some time, for what is held in memory and kept by following facts. All are in the order of the chain. */

/** Price facts of tokens of blocks at or after a time (Unix ms), the first `limit` of each. */
export async function priceSteps(
  tables: MarketTables,
  view: View,
  tokens: readonly Hex[],
  fromTime: number,
  limit: number,
): Promise<PriceRow[]> {
  const rows = visible(view);
  const of = ofIds('token', tokens);
  const found = await tables.store.query<StoredPrice>(
    `SELECT ${pricesTable.columns} FROM ${tables.database}.prices
     WHERE ${of.sql} AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ${rows.sql}
     ORDER BY token, seq LIMIT {limit:UInt32} BY token ${POINT_READ}`,
    { ...rows.params, ...of.params, from: fromTime, limit },
  );
  return found.map(readPrice);
}

/** The newest price facts of tokens: of each all of the groups above `since`, or `most` where there are more. */
export interface NewestPrices {
  readonly rows: PriceRow[];
  readonly since: number;
  readonly most: number;
}

/** Of several tokens those of the newest groups alone are looked at, since a token may have a row with each block. */
export async function newestPrices(tables: MarketTables, view: View, tokens: readonly Hex[]): Promise<NewestPrices> {
  const rows = visible(view);
  const of = ofIds('token', tokens);
  const since = tokens.length === 1 ? 0 : tables.recentSince(view);
  const most = tables.fewRows;
  const [recent, order] =
    tokens.length === 1
      ? ['', 'seq DESC LIMIT {most:UInt32}']
      : ['AND seq > {since:UInt64}', 'token, seq DESC LIMIT {most:UInt32} BY token'];
  const found = await tables.store.query<StoredPrice>(
    `SELECT ${pricesTable.columns} FROM ${tables.database}.prices WHERE ${of.sql} AND ${rows.sql} ${recent}
     ORDER BY ${order} ${POINT_READ}`,
    { ...rows.params, ...of.params, most, ...(recent !== '' && { since }) },
  );
  return { rows: found.map(readPrice).toReversed(), since, most };
}

/** The reference prices that a block left, all of them. */
export interface ReferenceStep {
  readonly time: number;
  readonly prices: readonly ReferencePrice[];
}

/** Of blocks with a time in [fromTime, toTime), Unix ms, that changed one. */
export async function referenceSteps(
  tables: MarketTables,
  view: View,
  fromTime: number,
  toTime: number,
): Promise<ReferenceStep[]> {
  const rows = visible(view);
  const found = await tables.store.query<{ ms: string; tokens: string[]; prices: (string | null)[] }>(
    `SELECT toUnixTimestamp64Milli(any(time)) AS ms, groupArray(token_hex) AS tokens, groupArray(tuple(usd_text)).1 AS prices
     FROM (
       SELECT seq, time, lower(hex(token)) AS token_hex, toString(usd) AS usd_text FROM ${tables.database}.reference_prices
       WHERE ${inTime('from', 'to')} AND ${rows.sql} ORDER BY seq, token_hex)
     GROUP BY seq ORDER BY seq SETTINGS max_threads = 1`,
    { ...rows.params, from: fromTime, to: toTime },
  );
  return found.map(({ ms, tokens, prices }) => ({
    time: Number(ms),
    prices: tokens.map((token, index) => ({ token, usd: scaled(prices[index]!, 36) })),
  }));
}

/** A trade from the view of one of its tokens, with what it adds to sums. */
export interface RecentTrade extends Readonly<TradeVolumes> {
  readonly token: Hex;
  readonly time: number;
  readonly wallet: Hex;
  readonly bought: boolean;
}

/** Trades of tokens at or after a time (Unix ms), the first `limit` of each. */
export async function recentTrades(
  tables: MarketTables,
  view: View,
  tokens: readonly Hex[],
  fromTime: number,
  limit: number,
): Promise<RecentTrade[]> {
  const rows = visible(view);
  // What the columns say as they are: the engine takes longer to plan what is made of them than to find them.
  const side = (column: 'base' | 'quote', table: string, bought: 'buy' | 'sell'): string => `
    SELECT lower(hex(${column})) AS token_hex, block, ordinal, toUnixTimestamp64Milli(time) AS ms, lower(hex(wallet)) AS wallet_hex,
      side = '${bought}' AS bought, ${WHY_UNCOUNTED}, volume_usd, volume_coin
    FROM ${tables.database}.${table}
    WHERE ${ofIds(column, tokens).sql} AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ${rows.sql}
    ORDER BY ${column}, block, ordinal LIMIT {limit:UInt32} BY ${column}`;
  const found = await tables.store.query<StoredRecentTrade>(
    `(${side('base', 'trades', 'buy')}) UNION ALL (${side('quote', 'trades_by_quote', 'sell')}) ${POINT_READ}`,
    { ...rows.params, ...ofIds('base', tokens).params, from: fromTime, limit },
  );
  const inOrder = [...byId(found, ({ token_hex }) => token_hex)].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.flatMap(([, trades]) => trades.sort(byPlace).slice(0, limit).map(readRecentTrade));
}

type StoredRecentTrade = Record<'token_hex' | 'block' | 'ms' | 'wallet_hex' | 'why', string> & {
  ordinal: number;
  bought: boolean;
  volume_usd: string | null;
  volume_coin: string | null;
};

const byPlace = (a: StoredRecentTrade, b: StoredRecentTrade): number =>
  Number(a.block) - Number(b.block) || a.ordinal - b.ordinal;

const readRecentTrade = (row: StoredRecentTrade): RecentTrade => ({
  ...{ token: row.token_hex, time: Number(row.ms), wallet: row.wallet_hex, bought: Boolean(row.bought) },
  ...volumesOf({
    uncounted: readUncounted(row.why),
    ...{ volumeUsd: scaled(row.volume_usd, 18), volumeCoin: scaled(row.volume_coin, 18) },
  }),
});
