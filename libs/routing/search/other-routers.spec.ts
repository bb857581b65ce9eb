import { createRequire } from 'node:module';
import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '#libs/chain/amm/tick-math.js';
import { SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import { ConcentratedEdge } from './concentrated-edge.js';
import type { RouteRequest } from './route.js';
import { RouteFinder } from './route-finder.js';
import { naivePath } from './test/naive-search.js';
import { RandomMarket } from './test/random-market.js';

/** Compared with the public SDKs' own searches over the same pools: never worse, and their trades re-priced agree. */
const load = createRequire(import.meta.url);
const { Token, CurrencyAmount } = load('@uniswap/sdk-core') as typeof import('@uniswap/sdk-core');
const v2 = load('@uniswap/v2-sdk') as typeof import('@uniswap/v2-sdk');
const v3 = load('@uniswap/v3-sdk') as typeof import('@uniswap/v3-sdk');

type SdkToken = InstanceType<typeof Token>;
const SEEDS = Array.from({ length: scaled(60, 4) }, (_, i) => i + 1);

function sdkTokens(market: RandomMarket): Map<string, SdkToken> {
  return new Map(market.tokens.map((token) => [token, new Token(1, `0x${token}`, 18)]));
}

const hexOf = (token: SdkToken) => token.address.slice(2).toLowerCase();

/** The pools of a trade as we know them, priced by our exact functions. */
function reprice(amountIn: bigint, path: readonly SdkToken[], pools: readonly LivePool[]): bigint | null {
  return naivePath(
    pools.map((pool, i) => ({ pool, zeroForOne: hexOf(path[i]!) === pool.token0 })),
    amountIn,
  );
}

describe('compared with other routers', () => {
  it.each(SEEDS)('is never worse than v2-sdk over three hops: seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const market = new RandomMarket(random, { tokens: 7, pools: 20, venues: ['cp'], fees: [3000], distinct: true });
    const tokens = sdkTokens(market);
    const byPair = new Map<unknown, LivePool>();
    for (const pool of market.book.pools()) {
      const [token0, token1] = [tokens.get(pool.token0)!, tokens.get(pool.token1)!];
      const pair = new v2.Pair(
        CurrencyAmount.fromRawAmount(token0, pool.reserve0.toString()),
        CurrencyAmount.fromRawAmount(token1, pool.reserve1.toString()),
      );
      byPair.set(pair, pool);
    }
    const pairs = [...byPair.keys()] as InstanceType<typeof v2.Pair>[];
    const finder = new RouteFinder(market.book);
    let found = 0;
    for (let i = 0; i < 8 || (found === 0 && i < 200); i++) {
      const request = pickRequest(random, market, 3, 'cp');
      const amount = CurrencyAmount.fromRawAmount(tokens.get(request.tokenIn)!, request.amountIn.toString());
      const [trade] = v2.Trade.bestTradeExactIn(pairs, amount, tokens.get(request.tokenOut)!, {
        maxHops: 3,
        maxNumResults: 1,
      });
      const answer = finder.find(request);
      if (trade === undefined) continue;
      const { path, pairs: used } = trade.route;
      const claimed = BigInt(trade.outputAmount.quotient.toString());
      // It takes no account of the 112 bits that a reserve has.
      const repriced = reprice(
        request.amountIn,
        path,
        used.map((pair) => byPair.get(pair)!),
      );
      if (repriced === null) continue;
      expect(repriced).toBe(claimed);
      expect(answer.kind === 'route' && answer.route.amountOut).toBe(claimed);
      found++;
    }
    expect(found).toBeGreaterThan(0);
  });

  it.each(SEEDS)('is never worse than v3-sdk over two hops: seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    const fees = [500, 3000, 10000];
    const market = new RandomMarket(random, { tokens: 5, pools: 12, venues: ['v3'], fees, distinct: true, deep: true });
    const tokens = sdkTokens(market);
    const byPool = new Map<unknown, LivePool>();
    for (const pool of market.book.pools()) byPool.set(sdkPool(pool, tokens), pool);
    const pools = [...byPool.keys()] as InstanceType<typeof v3.Pool>[];
    const finder = new RouteFinder(market.book);
    let found = 0;
    for (let i = 0; i < 4 || (found === 0 && i < 200); i++) {
      const request = pickRequest(random, market, 2, 'v3');
      const amount = CurrencyAmount.fromRawAmount(tokens.get(request.tokenIn)!, request.amountIn.toString());
      const options = { maxHops: 2, maxNumResults: 1 };
      const [trade] = await v3.Trade.bestTradeExactIn(pools, amount, tokens.get(request.tokenOut)!, options);
      const answer = finder.find(request);
      if (trade === undefined) continue;
      const [{ route }] = trade.swaps as [(typeof trade.swaps)[number]];
      const claimed = BigInt(trade.outputAmount.quotient.toString());
      const path = route.tokenPath as SdkToken[];
      expect(
        reprice(
          request.amountIn,
          path,
          route.pools.map((pool) => byPool.get(pool)!),
        ),
      ).toBe(claimed);
      if (claimed === 0n) continue;
      expect(answer.kind === 'route' && answer.route.amountOut).toBe(claimed);
      found++;
    }
    expect(found).toBeGreaterThan(0);
  });
  it.each(SEEDS)('prices pools with gaps in their liquidity as v3-sdk does: seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    const fees = [500, 3000, 10000];
    const market = new RandomMarket(random, { tokens: 5, pools: 40, venues: ['v3'], fees });
    const tokens = sdkTokens(market);
    let priced = 0;
    for (const pool of market.book.pools()) {
      if (pool.ticks.length === 0) continue;
      const theirs = sdkPool(pool, tokens);
      for (const zeroForOne of [true, false]) {
        const amountIn = market.amount(1, 1e22);
        const amount = CurrencyAmount.fromRawAmount(tokens.get(zeroForOne ? pool.token0 : pool.token1)!, `${amountIn}`);
        // It throws where a swap runs beyond the last tick.
        const answer = await theirs.getOutputAmount(amount).catch(() => null);
        if (answer === null) continue;
        const [output, after] = answer;
        const edge = new ConcentratedEdge(pool, zeroForOne);
        expect(edge.usable() || !pool.quotable).toBe(true);
        const ours = edge.exact(amountIn);
        if (ours === NOT_TAKEN) {
          // It says what the part gives that is taken before the price can go no further.
          const end = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
          expect(BigInt(after.sqrtRatioX96.toString())).toBe(end);
        } else expect(ours).toBe(BigInt(output.quotient.toString()));
        priced++;
      }
    }
    expect(priced).toBeGreaterThan(10);
  });
});

function sdkPool(pool: LivePool, tokens: ReadonlyMap<string, SdkToken>) {
  const ticks = pool.ticks.map(({ tick: index, liquidityGross, liquidityNet }) => {
    return { index, liquidityGross: liquidityGross.toString(), liquidityNet: liquidityNet.toString() };
  });
  const { token0, token1, feePpm, sqrtPriceX96, liquidity, tick } = pool;
  const [a, b] = [tokens.get(token0)!, tokens.get(token1)!];
  return new v3.Pool(a, b, feePpm, sqrtPriceX96.toString(), liquidity.toString(), tick, ticks);
}

function pickRequest(random: SeededRandom, market: RandomMarket, maxHops: 2 | 3, venue: string): RouteRequest {
  const tokenIn = random.pick(market.tokens);
  const tokenOut = random.pick(market.tokens.filter((token) => token !== tokenIn));
  return { tokenIn, tokenOut, amountIn: market.amount(1e6, 1e24), maxHops, venues: new Set([venue]) };
}
