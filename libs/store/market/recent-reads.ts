import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import { inTime, tradeSides } from './candle-sql.js';
import type { MarketTables } from './market-tables.js';
import { ofIds } from './newest-rows.js';
import { type PriceRow, pricesTable, readPrice, type StoredPrice } from './price-reads.js';
import { scaled } from './trade-reads.js';
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
     ORDER BY token, seq LIMIT {limit:UInt32} BY token SETTINGS max_threads = 1`,
    { ...rows.params, ...of.params, from: fromTime, limit },
  );
  return found.map(readPrice);
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

/** A trade from the view of one of its tokens. One without a value adds nothing. */
export interface RecentTrade {
  readonly token: Hex;
  readonly time: number;
  readonly wallet: Hex;
  readonly bought: boolean;
  readonly volumeUsd: E18;
  readonly volumeCoin: E18;
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
  const since = `time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ${rows.sql}`;
  const [base, quote] = [ofIds('base', tokens), ofIds('quote', tokens)];
  const sides = tradeSides(tables.database, {
    base: `${base.sql} AND ${since}`,
    quote: `${quote.sql} AND ${since}`,
  });
  const found = await tables.store.query<StoredRecentTrade>(
    `SELECT lower(hex(token)) AS token_hex, toUnixTimestamp64Milli(time) AS ms, lower(hex(wallet)) AS wallet_hex, bought,
       toString(usd_volume) AS usd, toString(coin_volume) AS coin
     FROM (${sides}) ORDER BY token, block, ordinal LIMIT {limit:UInt32} BY token SETTINGS max_threads = 1`,
    { ...rows.params, ...base.params, from: fromTime, limit },
  );
  return found.map(({ token_hex, ms, wallet_hex, bought, usd, coin }) => ({
    ...{ token: token_hex, time: Number(ms), wallet: wallet_hex, bought: Boolean(bought) },
    ...{ volumeUsd: parseDecimal(usd, 18), volumeCoin: parseDecimal(coin, 18) },
  }));
}

type StoredRecentTrade = Record<'token_hex' | 'ms' | 'wallet_hex' | 'usd' | 'coin', string> & { bought: boolean };
