import type { Hex } from '#libs/core/ids.js';
import { type Balance, balances } from '#libs/pipeline/projections/balances/projection.js';
import { COMPLETE, holders, type TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import type { ChainView } from './chain-view.js';
import { readKeyed, readRanked } from './read-keyed.js';

/** Holder counts of tokens; a token without any transfer in view is not in the map. */
export async function readHolderCounts(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, TokenHolders>> {
  if (tokens.length === 0) return new Map();
  const rows = await readKeyed(view, holders, { token: { in: tokens } });
  return new Map(rows.map((row) => [row.token, row]));
}

export interface HoldersPage {
  /** The largest first, then by wallet. Empty where the token is not measured: a part of its holders would be wrong. */
  rows: Balance[];
  more: boolean;
  counts: TokenHolders | undefined;
}

export async function readHolders(view: ChainView, token: Hex, offset: number, limit: number): Promise<HoldersPage> {
  const counts = (await readHolderCounts(view, [token])).get(token);
  if (counts?.standing !== COMPLETE) return { rows: [], more: false, counts };
  const rows = await readRanked(view, balances, { token: { is: token } }, { by: 'amount', offset, limit: limit + 1 });
  return { rows: rows.slice(0, limit), more: rows.length > limit, counts };
}

/** What a wallet holds of the tokens whose transfers are all in view, in the order of tokens. */
export async function readHoldings(view: ChainView, wallet: Hex): Promise<Balance[]> {
  const held = await readKeyed(view, balances, { wallet: { is: wallet } });
  const counts = await readHolderCounts(view, [...new Set(held.map(({ token }) => token))]);
  return held.filter(({ token }) => counts.get(token)?.standing === COMPLETE);
}
