import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from './chain-view.js';
import { pricedPool } from './read-prices.js';
import { readTokenPools } from './read-token.js';

/** The pool of a filter at a view: `primary` is found there, so that a pinned view keeps it. Null: the token has no pool. */
export const poolAt = async (
  view: ChainView,
  token: Hex,
  pool: Hex | 'primary' | undefined,
): Promise<Hex | null | undefined> => (pool === 'primary' ? primaryPool(view, token) : pool);

/**
 * The pool that sets a token's price. No single pool sets that of the coin, of a stable or of a token without a price: of
 * these it is the deepest one. Null for a token without a pool.
 */
async function primaryPool(view: ChainView, token: Hex): Promise<Hex | null> {
  return (await pricedPool(view, token)) ?? (await readTokenPools(view, token))[0]?.pool.pool ?? null;
}
