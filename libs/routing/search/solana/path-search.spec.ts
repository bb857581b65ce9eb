import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { MOST_LOOKS } from './path-search.js';
import type { SolanaRouteRequest } from './solana-route.js';
import { SolanaRouteFinder } from './solana-route-finder.js';
import { PlainBook, PlainPool } from './test/plain-pool.js';

/**
 * Markets in which nearly every path is promising and refused: the last pools offer the best price and take no such amount. The
 * search asks for a bounded number of swaps, though the paths are many times as many, and answers with what it knows.
 */
const HOPS = 4;
const MIDDLE = 40;
/** Swaps that the bounds of one direction of a pool may ask for, by tokens in between: samples, and a close bound at each hop. */
const SWAPS_OF_EDGE = 8;
const BILLION = 1_000_000_000n;
const DEEP = 1n << 62n;

/** Trades at one price, either way alike, up to a largest amount, and counts what it is asked. */
class FlatState implements SolanaPoolState {
  static asked = 0;
  readonly reserveA = DEEP;
  readonly reserveB = DEEP;
  readonly spot;

  constructor(
    /** Output of a billion. */
    private readonly price: bigint,
    private readonly most: bigint,
  ) {
    this.spot = { numerator: price, denominator: BILLION };
  }

  exactIn(_aToB: boolean, amountIn: bigint): CurveSwap | null {
    FlatState.asked++;
    const amountOut = (amountIn * this.price) / BILLION;
    return amountIn > this.most || amountOut === 0n ? null : { amountIn, amountOut, fee: 0n, feeSide: 'input' };
  }

  exactOut(aToB: boolean, amountOut: bigint): CurveSwap | null {
    const amountIn = (amountOut * BILLION + this.price - 1n) / this.price;
    return this.exactIn(aToB, amountIn) && { amountIn, amountOut, fee: 0n, feeSide: 'input' };
  }
}

/** Every token in between trades with every other one; one direct pool gives half of what the others promise. */
function refusingMarket(random: SeededRandom, exact: 'in' | 'out') {
  const [from, to, ...middle] = Array.from({ length: MIDDLE + 2 }, () => random.hex(32)).sort() as [string, string];
  const price = () => BILLION + BigInt(random.int(-1_000_000, 1_000_000));
  const pools: PlainPool[] = [];
  const add = (token0: string, token1: string, state: FlatState): void => {
    pools.push(new PlainPool(random.hex(32), 'flat', 'concentrated', token0, token1, state, true));
  };
  const [first, last] = exact === 'in' ? [DEEP, 1_000n] : [1_000n, DEEP];
  add(from, to, new FlatState(BILLION / 2n, DEEP));
  for (const [n, token] of (middle as string[]).entries()) {
    add(from, token, new FlatState(price(), first));
    add(to, token, new FlatState(price(), last));
    for (const other of (middle as string[]).slice(n + 1)) add(token, other, new FlatState(price(), DEEP));
  }
  return { from, to, book: new PlainBook(pools), edges: 2 * pools.length };
}

describe('the search for a path', () => {
  it.each(['in', 'out'] as const)('is bounded where nearly every path refuses the amount (exact %s)', (exact) => {
    for (const seed of propertySeeds(scaled(6, 1))) {
      const { from, to, book, edges } = refusingMarket(new SeededRandom(seed), exact);
      const request: SolanaRouteRequest = {
        ...{ tokenIn: from, tokenOut: to, exact, amount: 1_000_000_007n, maxHops: HOPS },
        ...{ venues: new Set(['flat']), mixVenues: true },
      };
      FlatState.asked = 0;
      const answer = new SolanaRouteFinder(book).find(request);
      const most = HOPS * MOST_LOOKS + SWAPS_OF_EDGE * edges;
      console.log(`exact ${exact}, seed ${seed}: ${FlatState.asked} swaps of at most ${most}`);
      if (answer.kind !== 'route') throw new Error(`seed ${seed}: ${answer.kind}`);
      expect({ seed, hops: answer.route.hops.length, many: answer.candidates > 2 * most }).toEqual({
        ...{ seed, hops: 1, many: true },
      });
      expect({ seed, bounded: FlatState.asked <= most }).toEqual({ seed, bounded: true });
    }
  });
});
