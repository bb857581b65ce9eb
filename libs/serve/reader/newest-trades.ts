import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from './chain-view.js';

/** Place of a trade in its chain. */
export interface TradePlace {
  readonly block: number;
  readonly ordinal: number;
}

/**
 * Where each token was last traded, from either side of its swaps; a token without a trade in view is not in the map. Everything
 * visible in the tail is above everything visible in the tables.
 */
export async function readNewestTrades(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, TradePlace>> {
  const newest = new Map<Hex, TradePlace>();
  const others: Hex[] = [];
  for (const token of new Set(tokens)) {
    const place = inTail(view, token);
    if (place === null) others.push(token);
    else newest.set(token, place);
  }
  for (const { token, block, ordinal } of await view.reads.newestTrades(view.tables, others)) {
    newest.set(token, { block, ordinal });
  }
  return newest;
}

function inTail({ groups }: ChainView, token: Hex): TradePlace | null {
  for (let i = groups.length - 1; i >= 0; i--) {
    const group = groups[i]!;
    const last = group.tradesOf(token).at(-1);
    if (last !== undefined) return { block: group.facts.height, ordinal: last.ordinal };
  }
  return null;
}
