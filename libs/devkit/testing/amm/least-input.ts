import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { randomAmounts } from './random-ticks.js';

/**
 * What a pool asks for an output is enough for it, and one unit less gives no more. The input up to the next tick may
 * round down to exactly the output: then the programs ask for all of it. So the input is the least in nearly every case.
 */
export function expectLeastInput(randomState: (random: SeededRandom) => SolanaPoolState): void {
  let checked = 0;
  let strict = 0;
  for (const seed of propertySeeds(scaled(1000), 10_000)) {
    const random = new SeededRandom(seed);
    const state = randomState(random);
    for (const aToB of [true, false]) {
      for (const amount of randomAmounts(random)) {
        const swap = state.exactOut(aToB, amount);
        // Close to 2^64 the programs refuse an input that would give more than asked.
        if (swap === null || amount >> 63n !== 0n) continue;
        const enough = state.exactIn(aToB, swap.amountIn)?.amountOut ?? 0n;
        const less = swap.amountIn > 1n ? (state.exactIn(aToB, swap.amountIn - 1n)?.amountOut ?? 0n) : 0n;
        const found = { TIDEPOOL_TEST_SEED: seed, aToB, amount, enough: enough >= amount, less: less <= amount };
        expect(found).toEqual({ ...found, enough: true, less: true });
        checked++;
        if (less < amount) strict++;
      }
    }
  }
  expect(checked).toBeGreaterThan(scaled(1000) / 2);
  expect(strict).toBeGreaterThan(checked * 0.9);
}
