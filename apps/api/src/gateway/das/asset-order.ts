import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readNewestTrades } from '#libs/serve/reader/newest-trades.js';
import { ascending, descending } from '../../market/listed-token.js';
import { invalidParams } from '../rpc-fault.js';

export interface AssetOrder {
  readonly by: 'created' | 'traded' | 'id';
  readonly ascending: boolean;
}

/**
 * By the names of the standard; null: the list's own order. What last happened to an asset is its last trade here, and its
 * last update is the same, as in the published implementation.
 */
export const orderNames: Readonly<Record<string, AssetOrder['by'] | null>> = {
  ...{ created: 'created', updated: 'traded', recent_action: 'traded', recentAction: 'traded', id: 'id', none: null },
};

/** Each of them costs a look into the trades of a token. */
const MOST_BY_TRADE = 1_000;

/**
 * Assets in an order that was asked for. Invariant: a total order, the same at every instance that reads the same view: equal
 * ones by address, and those of which nothing is known last, whatever the direction.
 */
export async function inOrder<Item extends { readonly token: Hex }>(
  view: ChainView,
  order: AssetOrder | null,
  items: readonly Item[],
  createdAt: () => Promise<(item: Item) => number | null>,
): Promise<Item[]> {
  if (order === null) return [...items];
  const direction = order.ascending ? ascending : descending;
  const byAddress = (a: Item, b: Item): number => (a.token < b.token ? -1 : Number(a.token > b.token));
  if (order.by === 'id') {
    return [...items].sort((a, b) => (order.ascending ? byAddress(a, b) : byAddress(b, a)));
  }
  if (order.by === 'created') {
    const created = await createdAt();
    return [...items].sort((a, b) => direction(created(a), created(b)) || byAddress(a, b));
  }
  if (items.length > MOST_BY_TRADE) {
    throw invalidParams(
      `sortBy.sortBy: at most ${MOST_BY_TRADE} assets are ordered by their last action, and ${items.length} match: ask for created or id`,
    );
  }
  const newest = await readNewestTrades(
    view,
    items.map(({ token }) => token),
  );
  return [...items].sort((a, b) => {
    const [first, second] = [newest.get(a.token) ?? null, newest.get(b.token) ?? null];
    return (
      direction(first?.block ?? null, second?.block ?? null) ||
      direction(first?.ordinal ?? null, second?.ordinal ?? null) ||
      byAddress(a, b)
    );
  });
}
