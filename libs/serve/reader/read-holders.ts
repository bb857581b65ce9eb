import type { Hex } from '#libs/core/ids.js';
import { type Balance, balances } from '#libs/pipeline/projections/balances/projection.js';
import { BROKEN, holders, isComplete, type TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import type { ChainView } from './chain-view.js';
import { readKeyed, readRanked } from './read-keyed.js';

/** Holder counts of tokens; a token without any transfer in view is not in the map. */
export async function readHolderCounts(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, TokenHolders>> {
  if (tokens.length === 0) return new Map();
  const rows = await readKeyed(view, holders, { token: { in: tokens } });
  return new Map(rows.map((row) => [row.token, row]));
}

/**
 * Why no balance of a token is known: there may be movements from before the index, or the token moves amounts without
 * transfers. Null where the balances are known.
 */
export function unknownBalances(counts: TokenHolders | undefined): 'history' | 'contradicted' | null {
  if (isComplete(counts)) return null;
  return counts?.standing === BROKEN ? 'contradicted' : 'history';
}

export interface HoldersPage {
  /** The largest first, then by wallet. Empty where the token is not measured: a part of its holders would be wrong. */
  rows: Balance[];
  more: boolean;
  counts: TokenHolders | undefined;
}

export async function readHolders(view: ChainView, token: Hex, offset: number, limit: number): Promise<HoldersPage> {
  const counts = (await readHolderCounts(view, [token])).get(token);
  if (!isComplete(counts)) return { rows: [], more: false, counts };
  const rows = await readRanked(view, balances, { token: { is: token } }, { by: 'amount', offset, limit: limit + 1 });
  return { rows: rows.slice(0, limit), more: rows.length > limit, counts };
}

/** What some wallets hold of the tokens whose balances are known, in the order of wallets and tokens. */
export async function readHoldings(view: ChainView, wallets: readonly Hex[]): Promise<Balance[]> {
  const bounds = wallets.length === 1 ? { is: wallets[0]! } : { in: wallets };
  const held = await readKeyed(view, balances, { wallet: bounds });
  const counts = await readHolderCounts(view, [...new Set(held.map(({ token }) => token))]);
  return held.filter(({ token }) => unknownBalances(counts.get(token)) === null);
}
