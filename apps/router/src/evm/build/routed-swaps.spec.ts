import { type ChainPool, type LocalSlug } from '#libs/devkit/devnet/evm/local-chain.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { Route } from '#libs/routing/search/route.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { BuildChain, minedWell } from './test/build-chain.js';
import { readBook } from './test/chain-book.js';
import { TestBuilder } from './test/open-builder.js';

const signal = new AbortController().signal;

/** The search's own routes, not the chain's quoter, say what must arrive: to the base unit, in the simulation and mined. */
describe.each(['eth', 'bsc'] satisfies LocalSlug[])('routes of the search on %s', (slug) => {
  let local: BuildChain;
  let builder: TestBuilder;

  beforeAll(async () => {
    local = await BuildChain.open(slug);
    builder = new TestBuilder({ chain: local.spec, rpcUrls: [local.chain.rpcUrl], logger: silentLogger });
  });

  afterAll(async () => {
    await builder?.close();
    await local?.close();
  });

  /** The route as hops of the chain's pools; the amounts are checked against the route's own. */
  const hopsOf = (route: Route) =>
    route.hops.map(({ pool, zeroForOne }) => {
      const chainPool = local.chain.pools.find(({ address }) => address === `0x${pool.id}`) as ChainPool;
      const { token0, token1 } = chainPool;
      return {
        pool: chainPool,
        tokenIn: zeroForOne ? token0 : token1,
        tokenOut: zeroForOne ? token1 : token0,
      };
    });

  it('arrive as they were priced', async () => {
    let built = 0;
    await withSeed(`routes of ${slug}`, async (random) => {
      const tokens = local.chain.tokens.filter(({ taxed, gated }) => !taxed && gated !== true);
      const rounds = scaled(60, 12);
      for (let n = 0; n < rounds || (built === 0 && n < rounds + 100); n++) {
        const finder = new RouteFinder(await readBook(local));
        const [from, to] = [random.pick(tokens), random.pick(tokens)];
        if (from === to) continue;
        const amountIn = local.units(from, 1 + random.below(300));
        const venue = local.venue(n % 2 === 0 ? 'v2' : 'v3').venue;
        const answer = finder.find({
          tokenIn: from.address.slice(2),
          tokenOut: to.address.slice(2),
          amountIn,
          maxHops: 3,
          venues: new Set([venue]),
        });
        if (answer.kind !== 'route') continue;
        const hops = hopsOf(answer.route);
        if (hops.some(({ tokenIn, tokenOut }) => [tokenIn, tokenOut].some((t) => local.tokenAt(t).taxed))) continue;
        const quote = await local.quote(hops, amountIn, { slippageBps: 0 });
        const what = JSON.stringify(quote);
        expect([what, answer.route.amountOut.toString()]).toEqual([what, quote.outAmount]);
        const request = { quote, wallet: local.wallet, recipient: null, slippageBps: null, deadlineSeconds: 60 };
        const swap = await builder.build(request, signal);
        expect([what, swap.simulation.outAmount]).toEqual([what, answer.route.amountOut.toString()]);
        const { received, receipts } = await local.execute(swap);
        expect([what, minedWell(receipts), received]).toEqual([what, true, answer.route.amountOut]);
        built++;
      }
    });
    expect(built).toBeGreaterThan(0);
  }, 300_000);
});
