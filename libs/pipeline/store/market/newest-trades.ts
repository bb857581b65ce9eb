import type { Hex } from '#libs/core/ids.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/** The last trade of a token, from either of its sides. */
export interface NewestTrade {
  readonly token: Hex;
  readonly block: number;
  readonly ordinal: number;
}

/** Tokens of one statement. */
const AT_A_TIME = 50;

/** Of each token that has one, in no order. Each part reads its table backwards in key order and stops at the first row. */
export async function newestTrades(tables: MarketTables, view: View, tokens: readonly Hex[]): Promise<NewestTrade[]> {
  const found: NewestTrade[] = [];
  for (let start = 0; start < tokens.length; start += AT_A_TIME) {
    found.push(...(await newestOfSome(tables, view, tokens.slice(start, start + AT_A_TIME))));
  }
  return found;
}

async function newestOfSome(
  { database, store }: MarketTables,
  view: View,
  tokens: readonly Hex[],
): Promise<NewestTrade[]> {
  const rows = visible(view);
  const params: Record<string, QueryValue> = { ...rows.params };
  const parts = tokens.flatMap((token, index) => {
    params[`token_${index}`] = token;
    return [
      ['trades', 'base'],
      ['trades_by_quote', 'quote'],
    ].map(
      ([table, side]) =>
        `(SELECT {token_${index}:String} AS token, block, ordinal FROM ${database}.${table}
          WHERE ${side} = unhex({token_${index}:String}) AND ${rows.sql} ORDER BY block DESC, ordinal DESC LIMIT 1)`,
    );
  });
  const found = await store.query<{ token: string; newest: [string, number] }>(
    `SELECT token, max((block, ordinal)) AS newest FROM (${parts.join(' UNION ALL ')}) GROUP BY token
     SETTINGS max_threads = 1`,
    params,
  );
  return found.map(({ token, newest: [block, ordinal] }) => ({ token, block: Number(block), ordinal }));
}
