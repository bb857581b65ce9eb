import { magnitude } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaRouteAnswer, SolanaRouteRequest } from './solana-route.js';
import { SolanaRouteFinder } from './solana-route-finder.js';
import { type NaiveHop, naiveAmount, naivePaths } from './test/naive-paths.js';
import { PlainBook, PlainPool } from './test/plain-pool.js';
import { allVenues, randomSolanaPool } from './test/random-pools.js';

interface Shape {
  tokens: number;
  pools: number;
  venues: readonly string[];
  /** Only pools of usual sizes, so that routes of several hops come through. */
  deep: boolean;
}

const PRODUCTS = ['pumpswap', 'raydium-cpmm', 'raydium-v4', 'tidepool-amm'];
const SHAPES: [string, Shape, number][] = [
  ['pools of every venue', { tokens: 5, pools: 26, venues: allVenues, deep: true }, 100],
  ['pools of every venue in any state', { tokens: 5, pools: 26, venues: allVenues, deep: false }, 60],
  ['constant products of usual sizes', { tokens: 6, pools: 22, venues: PRODUCTS, deep: true }, 200],
  ['a thin graph', { tokens: 11, pools: 24, venues: PRODUCTS, deep: true }, 200],
];

class Market {
  readonly book = new PlainBook();
  readonly tokens: string[];

  constructor(
    readonly random: SeededRandom,
    readonly shape: Shape,
  ) {
    this.tokens = Array.from({ length: shape.tokens }, () => random.hex(32)).sort();
    for (let n = 0; n < shape.pools; n++) this.add();
  }

  add(): void {
    const { random, shape, tokens, book } = this;
    const token0 = random.pick(tokens.slice(0, -1));
    const token1 = random.pick(tokens.filter((token) => token > token0));
    const { venue, kind, state } = randomSolanaPool(random, random.pick(shape.venues), shape.deep);
    book.add(new PlainPool(random.hex(32), venue, kind, token0, token1, state, random.chance(0.5)));
  }

  /** Pools come and go, change and are not quotable for a while. */
  move(): void {
    const { random, shape, book } = this;
    for (const pool of [...book.pools()]) {
      const roll = random.next();
      if (roll < 0.05) book.remove(pool.id);
      else if (roll < 0.15) pool.quotable = !pool.quotable;
      else if (roll < 0.2) pool.change(null);
      else if (roll < 0.4) pool.change(randomSolanaPool(random, pool.venue, shape.deep).state);
    }
    this.add();
  }

  request(): SolanaRouteRequest {
    const { random, tokens, shape } = this;
    const tokenIn = random.pick(tokens);
    return {
      tokenIn,
      tokenOut: random.pick(tokens.filter((token) => token !== tokenIn)),
      exact: random.chance(0.5) ? 'in' : 'out',
      amount: magnitude(random, 1n, 1n << BigInt(random.pick([8, 24, 40, 50, 63]))),
      maxHops: random.pick([1, 2, 3, 3, 4, 4] as const),
      venues: new Set([...shape.venues, 'unknown'].filter(() => random.chance(0.9))),
      mixVenues: random.chance(0.8),
    };
  }
}

function compare(market: Market, finder: SolanaRouteFinder): string {
  const request = market.request();
  const { exact, amount } = request;
  const answer = finder.find(request);
  const paths = naivePaths(market.book.pools(), request);
  const amounts = paths.map((path) => naiveAmount(path, exact, amount));
  const isBetter = (a: bigint, b: bigint) => (exact === 'in' ? a > b : a < b);
  const best = amounts.reduce(
    (most, each) => (each !== null && (most === null || isBetter(each, most)) ? each : most),
    null,
  );
  if (best !== null) {
    expect({ kind: answer.kind }).toEqual({ kind: 'route' });
    check(answer as SolanaRouteAnswer & { kind: 'route' }, request, best, paths);
    const fewest = Math.min(...paths.filter((_, n) => amounts[n] === best).map(({ length }) => length));
    expect((answer as SolanaRouteAnswer & { kind: 'route' }).route.hops).toHaveLength(fewest);
    return `${exact} ${fewest}`;
  }
  if (paths.length === 0) expect(answer).toEqual({ kind: 'none' });
  else if (answer.kind === 'too-small') expect(exact).toBe('in');
  else {
    expect(answer.kind).toBe('too-large');
    const { maxAmount } = answer as SolanaRouteAnswer & { kind: 'too-large' };
    expect(maxAmount < amount).toBe(true);
    const fits = (tried: bigint) => paths.some((path) => naiveAmount(path, exact, tried) !== null);
    if (maxAmount > 0n) expect(fits(maxAmount)).toBe(true);
    return `${answer.kind} ${maxAmount > 0n}`;
  }
  return answer.kind;
}

function check(
  { route, candidates }: SolanaRouteAnswer & { kind: 'route' },
  { exact, amount, tokenIn, tokenOut, venues, mixVenues }: SolanaRouteRequest,
  best: bigint,
  paths: readonly NaiveHop[][],
): void {
  const { hops } = route;
  expect(candidates).toBe(paths.length);
  expect(exact === 'in' ? [route.amountIn, route.amountOut] : [route.amountIn, route.amountOut >= amount]).toEqual(
    exact === 'in' ? [amount, best] : [best, true],
  );
  let token = tokenIn;
  for (const [n, { pool, zeroForOne, amountIn, amountOut }] of hops.entries()) {
    expect(zeroForOne ? pool.token0 : pool.token1).toBe(token);
    expect(venues.has(pool.venue)).toBe(true);
    const aToB = zeroForOne === pool.aIsToken0;
    const next = hops[n + 1];
    if (exact === 'in') {
      expect(pool.state!.exactIn(aToB, amountIn)!.amountOut).toBe(amountOut);
      if (next !== undefined) expect(next.amountIn).toBe(amountOut);
    } else {
      const wanted = next?.amountIn ?? amount;
      expect(pool.state!.exactOut(aToB, wanted)).toMatchObject({ amountIn, amountOut });
      expect(amountOut >= wanted).toBe(true);
    }
    token = zeroForOne ? pool.token1 : pool.token0;
  }
  expect(token).toBe(tokenOut);
  if (!mixVenues) expect(new Set(hops.map(({ pool }) => pool.venue)).size).toBe(1);
}

describe('Solana route finder', () => {
  it.each(SHAPES)('finds what trying every path finds, while pools change: %s', (name, shape, count) => {
    const kinds: Record<string, number> = {};
    const seeds = propertySeeds(scaled(count, 6));
    console.log(`${name}: seeds ${seeds[0]} to ${seeds.at(-1)}`);
    for (const seed of seeds) {
      try {
        const market = new Market(new SeededRandom(seed), shape);
        const finder = new SolanaRouteFinder(market.book);
        for (let n = 0; n < 24; n++) {
          const kind = compare(market, finder);
          kinds[kind] = (kinds[kind] ?? 0) + 1;
          if (n % 3 === 2) market.move();
        }
      } catch (error) {
        console.error(`${name}: seed ${seed}`);
        throw error;
      }
    }
    console.log(`${name}: ${JSON.stringify(Object.fromEntries(Object.entries(kinds).sort()))}`);
    expect(kinds['in 2'] ?? 0).toBeGreaterThan(0);
    expect(kinds['out 2'] ?? 0).toBeGreaterThan(0);
  });
});
