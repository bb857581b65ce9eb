import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { impactBps } from './price-impact.js';
import type { Route, RouteHop } from './route.js';
import { RouteFinder } from './route-finder.js';
import { sensibleAmount } from './sensible-amount.js';
import { RandomMarket } from './test/random-market.js';

/** In floats, from the definition. */
function roughImpact({ hops, amountOut }: Route): number {
  let ideal = Number(hops[0]!.amountIn);
  for (const { pool, zeroForOne } of hops) {
    const root = Number(pool.sqrtPriceX96) / 2 ** 96;
    const price = pool.kind === 'concentrated' ? root * root : Number(pool.reserve1) / Number(pool.reserve0);
    ideal *= (zeroForOne ? price : 1 / price) * (1 - pool.feePpm / 1e6);
  }
  return 10_000 * (1 - Number(amountOut) / ideal);
}

/** In whole base units. */
function amountAtSpot({ hops }: Route): bigint {
  let [numerator, denominator] = [hops[0]!.amountIn, 1n];
  for (const { pool, zeroForOne } of hops) {
    const square = pool.sqrtPriceX96 ** 2n;
    const [zero, one] = pool.kind === 'concentrated' ? [1n << 192n, square] : [pool.reserve0, pool.reserve1];
    numerator *= (zeroForOne ? one : zero) * BigInt(1_000_000 - pool.feePpm);
    denominator *= (zeroForOne ? zero : one) * 1_000_000n;
  }
  return numerator / denominator;
}

const venues = ['cp-a', 'cl-b'];
const market = (seed: number) =>
  new RandomMarket(new SeededRandom(seed), { tokens: 4, pools: 10, venues, fees: [3000, 10_000] });

/** Routes between all tokens of a market, for amounts of every size. */
function* routes(seed: number): Iterable<{ route: Route; finder: RouteFinder }> {
  const { book, tokens } = market(seed);
  const finder = new RouteFinder(book);
  const random = new SeededRandom(seed);
  for (const tokenIn of tokens) {
    for (const tokenOut of tokens) {
      if (tokenIn === tokenOut) continue;
      const amountIn = random.bits(90) + 1n;
      const answer = finder.find({ tokenIn, tokenOut, amountIn, maxHops: 3, venues: new Set(venues) });
      if (answer.kind === 'route') yield { route: answer.route, finder };
    }
  }
}

describe('the impact of a route', () => {
  it('is how much less it gives than its pools’ spot prices, fees left out', () => {
    let compared = 0;
    let high = 0;
    for (const seed of propertySeeds(40)) {
      for (const { route } of routes(seed)) {
        // Where little comes out, what rounding takes is not what the curve takes.
        if (route.hops.some(({ amountIn, amountOut }) => amountIn < 10n ** 8n || amountOut < 10n ** 8n)) continue;
        const impact = impactBps(route)!;
        expect(Math.abs(impact - roughImpact(route))).toBeLessThan(0.51 + 1e-3);
        expect(Number.isInteger(impact) && impact >= 0 && impact <= 10_000).toBe(true);
        if (impact > 500) high++;
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(high).toBeGreaterThan(0);
  });

  it('is to the nearest, also a base unit beside the middle between two', () => {
    let compared = 0;
    for (const seed of propertySeeds(40)) {
      for (const { route } of routes(seed)) {
        const atSpot = amountAtSpot(route);
        if (atSpot < 1n) continue;
        const middle = (atSpot * (20_000n - 2n * BigInt(seed % 9_000) - 1n)) / 20_000n;
        for (const amountOut of [middle - 1n, middle, middle + 1n, route.amountOut]) {
          const impact = BigInt(impactBps({ ...route, amountOut })!);
          const twiceOff = 2n * (10_000n * (atSpot - amountOut) - impact * atSpot);
          if (amountOut >= atSpot) expect(impact).toBe(0n);
          else expect(twiceOff <= atSpot && twiceOff >= -atSpot).toBe(true);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('does not count the fee, nor the base unit that rounding takes', () => {
    const pool = {
      kind: 'constant-product',
      feePpm: 3000,
      reserve0: 10n ** 30n,
      reserve1: 10n ** 30n,
      sqrtPriceX96: 0n,
    };
    const route = (amountIn: bigint, amountOut: bigint): Route => ({
      venue: 'v',
      amountOut,
      hops: [{ pool, zeroForOne: true, amountIn, amountOut, feeAmount: 0n } as unknown as RouteHop],
    });
    expect(impactBps(route(10n ** 20n, 997n * 10n ** 17n))).toBe(0);
    expect(impactBps(route(10n, 9n))).toBe(0);
    expect(impactBps(route(10n ** 20n, 997n * 10n ** 16n * 9n))).toBe(1_000);
  });

  it('is unknown where a pool has no price', () => {
    const pool = { kind: 'constant-product', feePpm: 3000, reserve0: 0n, reserve1: 5n };
    const hop = { pool, zeroForOne: true, amountIn: 1n, amountOut: 1n, feeAmount: 0n } as unknown as RouteHop;
    expect(impactBps({ venue: 'v', hops: [hop], amountOut: 1n })).toBeNull();
  });
});

describe('the sensible amount', () => {
  it('is the largest whose impact along the route is within the limit, to a millionth', () => {
    let found = 0;
    for (const seed of propertySeeds(40)) {
      for (const { route, finder } of routes(seed)) {
        const most = 1n << 200n;
        const large = { ...route, hops: [{ ...route.hops[0]!, amountIn: most }, ...route.hops.slice(1)] };
        const amount = sensibleAmount(large, 5_000);
        if (amount === null || amount < 10n ** 9n || route.hops.length > 1) continue;
        const [hop] = route.hops;
        const { token0, token1, venue } = hop!.pool;
        const [tokenIn, tokenOut] = hop!.zeroForOne ? [token0, token1] : [token1, token0];
        const at = (amountIn: bigint): number => {
          const pools = new Set([venue]);
          const answer = finder.find({ tokenIn, tokenOut, amountIn, maxHops: 1, venues: pools });
          return answer.kind === 'route' && answer.route.hops[0]!.pool === hop!.pool
            ? impactBps(answer.route)!
            : Number.NaN;
        };
        const [within, beyond] = [at(amount), at(amount + (amount >> 16n))];
        // Another pool may give more for that amount: then this route says nothing.
        if (Number.isNaN(within)) continue;
        expect(within).toBeLessThanOrEqual(5_000);
        // A little more has more impact, unless the pool takes no more at all.
        if (Number.isNaN(beyond)) continue;
        expect(within).toBeGreaterThanOrEqual(4_990);
        expect(beyond).toBeGreaterThanOrEqual(5_000);
        found++;
      }
    }
    expect(found).toBeGreaterThan(5);
  });
});
