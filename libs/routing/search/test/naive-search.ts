import { constantProductOutput } from '#libs/chain/amm/constant-product.js';
import { SwapRevertError, swapConcentrated } from '#libs/chain/amm/test/swap-concentrated.js';
import type { Hex } from '#libs/core/ids.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { RouteRequest } from '../route.js';

/**
 * What the route finder must find, by trying every path: no bounds, no memory, no idea of its own.
 */
export interface Directed {
  pool: LivePool;
  zeroForOne: boolean;
}

/** null: the pool does not take the whole input. 0 in gives 0. */
export function naiveSwap({ pool, zeroForOne }: Directed, amountIn: bigint): { out: bigint; fee: bigint } | null {
  const fee = (amountIn * BigInt(pool.feePpm)) / 1_000_000n;
  if (amountIn === 0n) return { out: 0n, fee: 0n };
  if (pool.kind === 'constant-product') {
    const [reserveIn, reserveOut] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    if (reserveIn + amountIn >= 1n << 112n) return null;
    return { out: constantProductOutput(amountIn, reserveIn, reserveOut, pool.feePpm)!, fee };
  }
  if (amountIn >= 1n << 255n) return null;
  try {
    const { amount0, amount1 } = swapConcentrated(pool, zeroForOne, amountIn);
    const [used, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
    return used === amountIn ? { out: got, fee } : null;
  } catch (error) {
    if (error instanceof SwapRevertError) return null;
    throw error;
  }
}

/** Output of a path; null when a pool of it does not take what comes. */
export function naivePath(path: readonly Directed[], amountIn: bigint): bigint | null {
  let amount = amountIn;
  for (const hop of path) {
    const swap = naiveSwap(hop, amount);
    if (swap === null) return null;
    amount = swap.out;
  }
  return amount;
}

/** All paths without a repeated token, venue by venue. */
export function naivePaths(book: PoolBook, request: Omit<RouteRequest, 'amountIn'>): Directed[][] {
  const { tokenIn, tokenOut, maxHops, venues } = request;
  const usable = [...book.pools()].filter(
    (pool) =>
      pool.quotable &&
      venues.has(pool.venue) &&
      (pool.kind === 'constant-product'
        ? pool.reserve0 > 0n && pool.reserve1 > 0n
        : pool.sqrtPriceX96 > 0n && (pool.liquidity > 0n || pool.ticks.length > 0)),
  );
  const paths: Directed[][] = [];
  const walk = (at: Hex, path: Directed[], seen: readonly Hex[]) => {
    for (const pool of usable) {
      if (pool.token0 !== at && pool.token1 !== at) continue;
      if (path.length > 0 && path[0]!.pool.venue !== pool.venue) continue;
      const zeroForOne = pool.token0 === at;
      const next = zeroForOne ? pool.token1 : pool.token0;
      if (seen.includes(next)) continue;
      const longer = [...path, { pool, zeroForOne }];
      if (next === tokenOut) paths.push(longer);
      else if (longer.length < maxHops) walk(next, longer, [...seen, next]);
    }
  };
  if (tokenIn !== tokenOut) walk(tokenIn, [], [tokenIn]);
  return paths;
}
