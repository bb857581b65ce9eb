import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { Hex } from '#libs/core/ids.js';
import type { SolanaRouteRequest } from '../solana-route.js';
import type { PlainPool } from './plain-pool.js';

/** What the finder must find, by trying every path through the venues' own quotes: no bounds, no memory. */
export interface NaiveHop {
  readonly pool: PlainPool;
  readonly zeroForOne: boolean;
}

export function naivePaths(
  pools: Iterable<PlainPool>,
  { tokenIn, tokenOut, maxHops, venues, mixVenues }: Omit<SolanaRouteRequest, 'amount' | 'exact'>,
): NaiveHop[][] {
  const usable = [...pools].filter((pool) => pool.quotable && pool.state !== null && venues.has(pool.venue));
  const paths: NaiveHop[][] = [];
  const walk = (at: Hex, path: NaiveHop[], seen: readonly Hex[]): void => {
    for (const pool of usable) {
      if (pool.token0 !== at && pool.token1 !== at) continue;
      if (!mixVenues && path.length > 0 && path[0]!.pool.venue !== pool.venue) continue;
      const zeroForOne = pool.token0 === at;
      const next = zeroForOne ? pool.token1 : pool.token0;
      if (seen.includes(next)) continue;
      const longer = [...path, { pool, zeroForOne }];
      if (next === tokenOut) paths.push(longer);
      else if (longer.length < maxHops) walk(next, longer, [...seen, next]);
    }
  };
  walk(tokenIn, [], [tokenIn]);
  return paths;
}

/** What a path gives for an input, or costs for an output; null when a pool of it refuses. */
export function naiveAmount(path: readonly NaiveHop[], exact: 'in' | 'out', amount: bigint): bigint | null {
  let carried: bigint | null = amount;
  for (const { pool, zeroForOne } of exact === 'in' ? path : path.toReversed()) {
    const aToB = zeroForOne === pool.aIsToken0;
    const swap: CurveSwap | null =
      exact === 'in' ? pool.state!.exactIn(aToB, carried) : pool.state!.exactOut(aToB, carried);
    carried = (exact === 'in' ? swap?.amountOut : swap?.amountIn) ?? null;
    if (carried === null) return null;
  }
  return carried;
}
