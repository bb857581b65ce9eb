import { readFileSync } from 'node:fs';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { RouteFinder } from './route-finder.js';

/** Recorded pool states with the amounts that the chain or its own tests state, through the finder. */
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../chain/amm/fixtures/${name}`, import.meta.url), 'utf8'));
const TOKENS = ['0a', '0b'] as const;

function finderOver(
  record: Pick<PoolRecord, 'kind' | 'feePpm' | 'tickSpacing'>,
  state: Partial<PoolStateFact>,
): RouteFinder {
  const book = new PoolBook();
  const pool = 'ff';
  book.load(
    { pool, venue: 'venue', token0: TOKENS[0], token1: TOKENS[1], created: true, ...record },
    { pool, reserve0: 0n, reserve1: 0n, concentrated: null, anchored: true, setApart: null, ...state },
    0,
  );
  return new RouteFinder(book);
}

function quote(finder: RouteFinder, zeroForOne: boolean, amountIn: bigint): bigint | string {
  const [tokenIn, tokenOut] = zeroForOne ? TOKENS : ([TOKENS[1], TOKENS[0]] as const);
  const answer = finder.find({ tokenIn, tokenOut, amountIn, maxHops: 3, venues: new Set(['venue']) });
  return answer.kind === 'route' ? answer.route.amountOut : answer.kind;
}

describe('recorded pools', () => {
  it('gives what the concentrated pools gave', () => {
    let quotes = 0;
    for (const pool of read('v3-real-pools.json').pools) {
      const ticks = pool.ticks.map(([tick, net]: [number, string]) => {
        return { tick, liquidityNet: BigInt(net), liquidityGross: BigInt(net) < 0n ? -BigInt(net) : BigInt(net) };
      });
      const { tick } = pool;
      const concentrated = {
        sqrtPriceX96: BigInt(pool.sqrtPriceX96),
        tick,
        liquidity: BigInt(pool.liquidity),
        ticks,
        ticksComplete: true,
      };
      const finder = finderOver(
        { kind: 'concentrated', feePpm: pool.fee, tickSpacing: pool.tickSpacing },
        { concentrated },
      );
      for (const { zeroForOne, amountIn, expectedAmountOut } of pool.quotes) {
        const expected = expectedAmountOut === '0' ? 'too-small' : BigInt(expectedAmountOut);
        expect([pool.kind, quote(finder, zeroForOne, BigInt(amountIn))]).toEqual([pool.kind, expected]);
        quotes++;
      }
    }
    expect(quotes).toBeGreaterThan(10);
  });

  it('gives what the constant-product pairs gave', () => {
    let swaps = 0;
    for (const swap of read('v2-onchain-swaps.json').swaps) {
      for (const [fee, kind] of Object.entries(swap.exact_fee_match as Record<string, string>)) {
        if (kind !== 'exactIn') continue;
        const [numerator, denominator] = fee.split('/').map(Number) as [number, number];
        const feePpm = (numerator * 1_000_000) / denominator;
        const finder = finderOver(
          { kind: 'constant-product', feePpm, tickSpacing: 0 },
          { reserve0: BigInt(swap.reserveIn), reserve1: BigInt(swap.reserveOut) },
        );
        expect([swap.txHash, quote(finder, true, BigInt(swap.amountIn))]).toEqual([
          swap.txHash,
          BigInt(swap.amountOut),
        ]);
        swaps++;
      }
    }
    expect(swaps).toBeGreaterThan(20);
  });
});
