import { readFileSync } from 'node:fs';
import { COIN } from '#apps/router/test/solana-world.js';
import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import { reportSkipped } from '#libs/devkit/testing/requirements.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { wholeAccounts } from './genuine-pool.js';
import { genuinePools } from './genuine-pools.js';
import { missingProgram, programFile } from './genuine-world.js';
import { LEAST_KINDS, type RecordedRoute, ROUTED_VENUES, recordRoutes } from './recorded-routes.js';
import { RouteWorld } from './route-world.js';

/**
 * Swaps over venues with their deployed programs on a local chain, through the router: quoted and built over HTTP, signed, sent. Each
 * lands and moves what its quote and its simulation say, to the unit, and costs what the build said. Without the executables, which
 * are not ours to ship, a venue is skipped; what was recorded here is in genuine-routes-replay.spec.ts.
 */
const HELD = 1n << 60n;
/** Nothing comes of so little, the pool has less, or it does not trade in that direction. */
const REFUSALS = ['no_route', 'low_liquidity'];
/** A build says its bounds as numbers: in a parsed body larger ones are not exact. */
const MOST_EXACT = 1n << 53n;
/** Of what the wallet has, for one swap. */
const MOST_COINS = 100_000_000_000n;
const KEPT = 3;

/** With the size of all that was loaded, the program included: the local node leaves it to its reader to count. */
const withSize = (simulation: unknown, loadedAccountsDataSize: number): unknown => {
  const { context, value } = simulation as { context: object; value: object };
  return { context, value: { ...value, loadedAccountsDataSize } };
};

for (const venue of ROUTED_VENUES) {
  const { decoder, instructions } = solanaModule(venue)!;
  const missing = missingProgram(decoder.program);
  const name = `routes over the genuine program of ${decoder.dex}`;
  if (missing !== null) reportSkipped(name, missing);
  (missing === null ? describe : describe.skip)(name, () => {
    let routes: RouteWorld;
    beforeAll(async () => {
      routes = await RouteWorld.start();
      routes.world.market.chain.deploy(decoder.program, readFileSync(programFile(decoder.program)));
      await routes.world.settled();
    });
    afterAll(() => routes?.close());

    it('land as they were quoted and simulated', async () => {
      const seed = testSeed(1);
      const random = new SeededRandom(seed);
      const { world, wallet } = routes;
      const counts = { in: 0, out: 0, bought: 0, sold: 0, coins: 0, refused: 0 };
      const kept = new Map<string, RecordedRoute[]>();
      const wanted = scaled(100, 12);
      try {
        const few = (): number => Math.min(counts.in, counts.out, counts.bought, counts.sold);
        for (let n = 0; few() < wanted / 4 || kept.size < LEAST_KINDS || counts.coins === 0; n++) {
          expect(n).toBeLessThan(40 * wanted);
          const pool = genuinePools.get(venue)!(random);
          const accounts = wholeAccounts(pool);
          const { address, mints } = pool;
          const own = routes.tokens(mints, accounts, HELD);
          await routes.place(venue, { address, accounts, mints }, own);
          const aToB = random.chance(0.5);
          const [inputMint, outputMint] = (aToB ? mints : mints.toReversed()) as [string, string];
          const exact = random.chance(0.6) ? 'in' : 'out';
          const size = pool.sizes[aToB === (exact === 'in') ? 0 : 1]!;
          const bits = random.int(1, Math.min(38, size.toString(2).length));
          const amount = (BigInt(`0x${random.hex(8)}`) & ((1n << BigInt(bits)) - 1n)) + 1n;
          const swapMode = exact === 'in' ? 'ExactIn' : 'ExactOut';
          const question = { inputMint, outputMint, amount: String(amount), swapMode, dexes: decoder.dex };
          const found = await world.quote(question);
          if (found.status !== 200) {
            expect([404, 422]).toContain(found.status);
            expect(REFUSALS).toContain(found.body.error);
            counts.refused++;
            continue;
          }
          const { inAmount, outAmount, otherAmountThreshold } = found.body;
          if ([inAmount, outAmount, otherAmountThreshold].some((each) => BigInt(each) > MOST_EXACT)) continue;
          if (inputMint === COIN && BigInt(inAmount) > MOST_COINS) continue;
          const made = routes.made(instructions!.deposits?.(address, wallet.address, accounts) ?? []);
          const { quote, swap, instructions: told } = await wallet.swappedAsQuoted(question);
          counts[exact]++;
          counts[aToB ? 'sold' : 'bought']++;
          if (mints.includes(COIN)) counts.coins++;
          const kind = `${aToB} ${exact}`;
          kept.set(kind, [
            ...(kept.get(kind) ?? []),
            {
              ...{ pool: address, mints, accounts, question },
              simulation: withSize(routes.heard, swap.simulation.loadedAccountsDataSize),
              own: new Map([...own, ...made].filter(([each]) => each !== address)),
              swap: {
                ...{ transaction: swap.swapTransaction, blockhash: told.blockhash },
                ...{ costs: told.costs, simulation: swap.simulation },
              },
              moved: { amountIn: quote.inAmount, amountOut: quote.outAmount },
            },
          ]);
        }
      } catch (error) {
        console.error(`${venue}, TIDEPOOL_TEST_SEED=${seed}: ${JSON.stringify(counts)}`);
        throw error;
      }
      if (process.env.TIDEPOOL_GENUINE_RECORD === '1')
        recordRoutes(
          venue,
          [...kept.values()].flatMap((each) => each.slice(0, KEPT)),
        );
      console.log(`${venue}, seed ${seed}: ${JSON.stringify(counts)}`);
      expect(world.problems).toEqual([]);
    }, 600_000);
  });
}
