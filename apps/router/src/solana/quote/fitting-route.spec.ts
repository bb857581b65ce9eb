import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaRoute, SolanaRouteAnswer, SolanaRouteRequest } from '#libs/routing/search/solana/solana-route.js';
import { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import type { FitsRoute } from '#libs/routing/search/solana/split-route.js';
import { splitRoute } from '#libs/routing/search/solana/split-route.js';
import { PlainBook, PlainPool } from '#libs/routing/search/solana/test/plain-pool.js';
import { randomSolanaPool } from '#libs/routing/search/solana/test/random-pools.js';
import { fittingRoute } from './fitting-route.js';

/** Markets of pools that take more or less of a transaction: no answer is over its room, and no simpler one that fits is missed. */
const ROOM = 64;
const VENUES = ['raydium-cpmm', 'raydium-v4', 'tidepool-amm', 'orca-whirlpool'];

function randomMarket(random: SeededRandom) {
  const tokens = Array.from({ length: 3 }, () => random.hex(32)).sort();
  const weights = new Map<string, number>();
  const sizes = random.chance(0.3) ? [40, 70, 90] : [5, 10, 40, 70];
  const pools = Array.from({ length: random.int(4, 14) }, () => {
    const token0 = random.pick(tokens.slice(0, -1));
    const token1 = random.pick(tokens.filter((token) => token > token0));
    const size = () => 10n ** 9n * BigInt(random.int(300, 1_000));
    const { venue, kind, state } = randomSolanaPool(random, random.pick(VENUES), [size(), size()]);
    const id = random.hex(32);
    weights.set(id, random.pick(sizes));
    return new PlainPool(id, venue, kind, token0, token1, state, random.chance(0.5));
  });
  const fits: FitsRoute = (paths) => paths.flat().reduce((sum, { pool }) => sum + weights.get(pool.id)!, 0) <= ROOM;
  return { tokens, finder: new SolanaRouteFinder(new PlainBook(pools)), fits };
}

it('answers a route that fits, at least as good as the best of one hop that does', () => {
  const seed = testSeed(1);
  const random = new SeededRandom(seed);
  const counts = { first: 0, other: 0, unfit: 0, split: 0 };
  const wanted = scaled(100, 10);
  for (let n = 0; n < 200 * wanted && Math.min(...Object.values(counts)) < wanted / 10; n++) {
    const { tokens, finder, fits } = randomMarket(random);
    const find = (asked: SolanaRouteRequest): SolanaRouteAnswer => finder.find(asked);
    const tokenIn = random.pick(tokens);
    const request: SolanaRouteRequest = {
      ...{ tokenIn, tokenOut: random.pick(tokens.filter((token) => token !== tokenIn)), mixVenues: true },
      ...{ exact: random.pick(['in', 'out'] as const), amount: 10n ** BigInt(random.int(8, 11)) },
      ...{ maxHops: random.pick([1, 2, 3, 4] as const), venues: new Set(VENUES) },
    };
    const [best, answer, direct] = [find(request), fittingRoute(find, request, fits), find({ ...request, maxHops: 1 })];
    const where = { seed, n };
    const isWorse = (a: SolanaRoute, b: SolanaRoute): boolean =>
      request.exact === 'in' ? a.amountOut < b.amountOut : a.amountIn > b.amountIn;
    if (best.kind !== 'route') {
      expect({ where, answer }).toEqual({ where, answer: best });
    } else if (answer.kind === 'route') {
      expect({ where, fits: fits([answer.route.hops]) }).toEqual({ where, fits: true });
      const isFirst = fits([best.route.hops]);
      if (isFirst) expect(answer).toEqual(best);
      counts[isFirst ? 'first' : 'other']++;
      if (direct.kind === 'route' && fits([direct.route.hops]))
        expect({ where, worse: isWorse(answer.route, direct.route) }).toEqual({ where, worse: false });
      const split = splitRoute((asked) => finder.route(asked), request, answer.route, fits);
      expect({ where, fits: fits(split.legs.map(({ hops }) => hops)) }).toEqual({ where, fits: true });
      expect({ where, worse: isWorse(split as never, answer.route) }).toEqual({ where, worse: false });
      if (split.legs.length > 1) counts.split++;
    } else {
      expect({ where, kind: answer.kind }).toEqual({ where, kind: 'unfit' });
      if (direct.kind === 'route') expect({ where, fits: fits([direct.route.hops]) }).toEqual({ where, fits: false });
      counts.unfit++;
    }
  }
  console.log(`seed ${seed}: ${JSON.stringify(counts)}`);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
