import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, type SolanaWorld } from './solana-world.js';

/**
 * Swaps over either kind of our own, over the routes of the router on a local chain: at random pairs, amounts, sides and routes
 * each lands, and moves what its quote and its simulation say, to the unit. What splits give compared with single routes is in
 * libs/routing/search/solana/split-route.spec.ts.
 */
const SLIPPAGES = ['0', '50', '300'];
/** Nothing comes of so little, no route is there over that venue alone, or a curve has less left. */
const REFUSALS = ['no_route', 'low_liquidity'];

/** A question: from a token to another one, and the most of the first that is given. */
interface QuoteRequest {
  readonly pair: readonly [string, string];
  readonly most: bigint;
}

describe('many swaps of Solana', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;

  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
  });
  afterAll(() => world?.close());

  const held = (mint: string): bigint => (mint === COIN ? wallet.lamports() : wallet.held(mint));

  /** Pairs over pools: from a token that the wallet has to any other one of the pools. */
  function overPools(random: SeededRandom): QuoteRequest {
    const mints = [...new Set(world.market.contents().pools.flatMap(({ mintA, mintB }) => [mintA, mintB]))];
    const from = random.pick(mints.filter((mint) => held(mint) > 0n));
    return { pair: [from, random.pick(mints.filter((mint) => mint !== from))], most: held(from) / 2n };
  }

  /** Pairs over curves that the router knows: what the wallet bought of one is sold again as often as not. */
  let known: ReadonlySet<string>;
  function overCurves(random: SeededRandom): QuoteRequest {
    const { curves } = world.market.contents();
    known ??= new Set(curves.map(({ mint }) => mint));
    const open = curves.filter(
      ({ status, mint, quoteMint }) => status === 'trading' && known.has(mint) && held(quoteMint) > 0n,
    );
    const { mint, quoteMint } = random.pick(open);
    // Little is bought at a time, so that curves stay open.
    return held(mint) > 0n && random.chance(0.5)
      ? { pair: [mint, quoteMint], most: held(mint) }
      : { pair: [quoteMint, mint], most: held(quoteMint) / 4_000n };
  }

  it.each([
    ['Tidepool AMM', TIDEPOOL_AMM, overPools],
    ['Tidepool Launchpad', TIDEPOOL_LAUNCHPAD, overCurves],
  ] as const)(
    'over %s move what was quoted',
    async (label, program, questionOf) => {
      const seed = testSeed();
      const random = new SeededRandom(seed);
      const counts = { landed: 0, refused: 0, exactOut: 0, hops: 0, splits: 0, serialized: 0 };
      const wanted = scaled(500, 20);
      try {
        while (counts.landed < wanted) {
          expect(counts.refused).toBeLessThan(20 * wanted);
          const { pair: between, most } = questionOf(random);
          const [inputMint, outputMint] = between;
          const amount = String(BigInt(Math.floor(random.spread(1, Math.max(2, Number(most))))));
          const pair = { inputMint, outputMint, dexes: label, slippageBps: random.pick(SLIPPAGES) };
          const found = await world.quote({ ...pair, amount });
          if (found.status !== 200) {
            expect(REFUSALS).toContain(found.body.error);
            counts.refused++;
            continue;
          }
          const exactOut = random.chance(0.3);
          const exact = exactOut
            ? { amount: String(found.body.outAmount), swapMode: 'ExactOut' }
            : { amount, swapMode: 'ExactIn' };
          const door = random.pick(['/swap', '/transaction'] as const);
          const { quote } = await wallet.swappedAsQuoted({ ...pair, ...exact }, door);
          const steps: { swapInfo: { label: string; inputMint: string } }[] = quote.routePlan;
          expect(new Set(steps.map(({ swapInfo }) => swapInfo.label))).toEqual(new Set([label]));
          counts.landed++;
          if (exactOut) counts.exactOut++;
          if (steps.length > 1) counts.hops++;
          if (steps.filter(({ swapInfo }) => swapInfo.inputMint === inputMint).length > 1) counts.splits++;
          if (door === '/transaction') counts.serialized++;
          await world.settled();
        }
      } catch (error) {
        console.error(`swaps over ${label} failed with TIDEPOOL_TEST_SEED=${seed}: ${JSON.stringify(counts)}`);
        throw error;
      }
      console.log(`swaps over ${label} (${program}), seed ${seed}: ${JSON.stringify(counts)}`);
      expect(world.problems).toEqual([]);
    },
    900_000,
  );
});
