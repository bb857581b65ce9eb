import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { readPool } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { randomBits } from '#libs/devkit/testing/amm/random-ticks.js';
import { oneSeedAsked, propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { untilMet } from '#libs/devkit/testing/until-met.js';
import { allSources, allVenues, randomSolanaPool } from './test/random-pools.js';

/** A state that keeps what it computed answers as one that was never asked. */
const QUESTIONS = 30;
/** From here on a walk through ticks or bins has come past something that it may keep. */
const SOME_STEPS = 5;

interface RouteQuery {
  readonly aToB: boolean;
  readonly exact: 'exactIn' | 'exactOut';
  readonly amount: bigint;
}

const ask = (state: SolanaPoolState, { aToB, exact, amount }: RouteQuery) => state[exact](aToB, amount);

describe.each(allVenues)('a pool of %s', (venue) => {
  it('gives the same for an amount whatever it was asked before', async () => {
    const source = allSources.find((each) => each.venue === venue)!;
    const seen = { given: 0, refused: 0, far: 0 };
    const seeds = propertySeeds(scaled(200, 30));
    console.log(`${venue}: seeds ${seeds[0]} to ${seeds.at(-1)}`);
    const run = (seed: number): void => {
      const random = new SeededRandom(seed);
      const { address, known, at, state } = randomSolanaPool(random, venue, random.chance(0.7));
      // Of each way: the edges of steps are near what was given and paid before.
      const edges = { exactIn: [1n], exactOut: [1n] };
      for (let n = 0; n < QUESTIONS; n++) {
        const exact = random.pick(['exactIn', 'exactOut'] as const);
        const near = random.pick(edges[exact]) + BigInt(random.int(-2, 2));
        const question = {
          aToB: random.chance(0.7),
          exact,
          amount: random.chance(0.5) ? near : randomBits(random, 60),
        };
        const answer = ask(state, question);
        const fresh = ask(readPool(source, address, { known }, at)!, question);
        expect({ seed, n, ...question, answer }).toEqual({ seed, n, ...question, answer: fresh });
        if (answer === null) seen.refused++;
        else {
          seen.given++;
          edges.exactIn.push(answer.amountIn, answer.amountIn / 2n);
          edges.exactOut.push(answer.amountOut, answer.amountOut / 2n);
        }
        if ((answer?.steps ?? 0) >= SOME_STEPS) seen.far++;
      }
    };
    for (const seed of seeds) run(seed);
    console.log(`${venue}: ${JSON.stringify(seen)}`);
    if (oneSeedAsked) return;
    const steps = ['orca-whirlpool', 'raydium-clmm', 'meteora-dlmm'].includes(venue);
    const missing = () => [...(seen.given > 50 ? [] : ['given']), ...(steps && seen.far <= 20 ? ['far'] : [])];
    await untilMet(missing, (nth) => run(seeds.at(-1)! + 1 + nth), 300);
  });
});
