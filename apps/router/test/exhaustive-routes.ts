import { swapConcentrated } from '#libs/amm/concentrated-swap.js';
import { constantProductCapacity, constantProductOutput } from '#libs/amm/constant-product.js';
import type { LivePool } from '#libs/pools/live-pool.js';
import type { PoolBook } from '#libs/pools/pool-book.js';
import type { Route, RouteAnswer, RouteHop, RouteRequest } from '#libs/routing/route.js';

/** Every simple path, one after the other: what the doors are tested over, and slow on purpose. */
export class ExhaustiveRoutes {
  constructor(private readonly book: () => PoolBook) {}

  find(request: RouteRequest): RouteAnswer {
    const paths = this.paths(request);
    if (paths.length === 0) return { kind: 'none' };
    let best: Route | null = null;
    let capacity = 0n;
    let candidates = 0;
    for (const path of paths) {
      const route = walk(path, request);
      if (route !== null) candidates++;
      if (route !== null && (best === null || route.amountOut > best.amountOut)) best = route;
      const [first] = path;
      if (first?.kind === 'constant-product') {
        const most = constantProductCapacity(first.token0 === request.tokenIn ? first.reserve0 : first.reserve1);
        if (most > capacity) capacity = most;
      }
    }
    if (best === null) return { kind: 'too-large', maxAmountIn: capacity };
    return best.amountOut === 0n ? { kind: 'too-small' } : { kind: 'route', route: best, candidates };
  }

  private paths({ tokenIn, tokenOut, maxHops, venues }: RouteRequest): LivePool[][] {
    const found: LivePool[][] = [];
    const visit = (token: string, seen: string[], pools: LivePool[]) => {
      for (const pool of this.book().poolsOf(token)) {
        if (!venues.has(pool.venue) || !pool.quotable || pool.venue !== (pools[0]?.venue ?? pool.venue)) continue;
        const next = pool.token0 === token ? pool.token1 : pool.token0;
        if (seen.includes(next)) continue;
        if (next === tokenOut) found.push([...pools, pool]);
        else if (pools.length + 1 < maxHops) visit(next, [...seen, next], [...pools, pool]);
      }
    };
    visit(tokenIn, [tokenIn], []);
    return found;
  }
}

/** null: a pool of the path does not take its amount. */
function walk(path: LivePool[], { tokenIn, amountIn }: RouteRequest): Route | null {
  const hops: RouteHop[] = [];
  let [token, amount] = [tokenIn, amountIn];
  for (const pool of path) {
    const zeroForOne = pool.token0 === token;
    const out = amount === 0n ? 0n : outputOf(pool, zeroForOne, amount);
    if (out === null) return null;
    hops.push({
      pool,
      zeroForOne,
      amountIn: amount,
      amountOut: out,
      feeAmount: (amount * BigInt(pool.feePpm)) / 1_000_000n,
    });
    token = zeroForOne ? pool.token1 : pool.token0;
    amount = out;
  }
  return { venue: path[0]!.venue, hops, amountOut: amount };
}

function outputOf(pool: LivePool, zeroForOne: boolean, amount: bigint): bigint | null {
  if (pool.kind === 'constant-product') {
    const [reserveIn, reserveOut] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    if (amount > constantProductCapacity(reserveIn)) return null;
    return constantProductOutput(amount, reserveIn, reserveOut, pool.feePpm);
  }
  if (amount >= 2n ** 255n) return null;
  const { amount0, amount1 } = swapConcentrated(pool, zeroForOne, amount);
  const [paid, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
  return paid === amount ? got : null;
}
