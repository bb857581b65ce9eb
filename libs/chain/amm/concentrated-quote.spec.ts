import { readFileSync } from 'node:fs';
import { ConcentratedWalk, NOT_TAKEN } from './concentrated-quote.js';
import type { ConcentratedPool } from './concentrated-swap.js';
import { constantProductCapacity, constantProductMostInput, constantProductOutput } from './constant-product.js';
import { swapConcentrated } from './test/swap-concentrated.js';
import { tickAtSqrtRatio } from './tick-math.js';

const { pools } = JSON.parse(readFileSync(new URL('./fixtures/v3-real-pools.json', import.meta.url), 'utf8')) as {
  pools: {
    fee: number;
    tickSpacing: number;
    sqrtPriceX96: string;
    liquidity: string;
    tick: number;
    ticks: [number, string][];
    quotes: { zeroForOne: boolean; amountIn: string; expectedAmountOut: string }[];
  }[];
};

const states = pools.map((pool): ConcentratedPool & { quotes: (typeof pool)['quotes'] } => ({
  feePpm: pool.fee,
  tickSpacing: pool.tickSpacing,
  sqrtPriceX96: BigInt(pool.sqrtPriceX96),
  tick: pool.tick,
  liquidity: BigInt(pool.liquidity),
  ticks: pool.ticks.map(([tick, net]) => ({ tick, liquidityNet: BigInt(net) })),
  quotes: pool.quotes,
}));
const walk = (pool: ConcentratedPool, zeroForOne: boolean) => new ConcentratedWalk(pool, zeroForOne);

describe('quotes for an exact input', () => {
  it('gives what recorded concentrated pools gave, with the fees of all steps', () => {
    for (const { quotes, ...pool } of states) {
      for (const { zeroForOne, amountIn, expectedAmountOut } of quotes) {
        expect(walk(pool, zeroForOne).output(BigInt(amountIn))).toBe(BigInt(expectedAmountOut));
        const fee = walk(pool, zeroForOne).feeOf(BigInt(amountIn));
        const least = (BigInt(amountIn) * BigInt(pool.feePpm)) / 1_000_000n;
        expect(fee >= least && fee <= BigInt(amountIn)).toBe(true);
      }
    }
  });

  it('says how far a swap comes: as many ticks and words as lie before its end', () => {
    let crossing = 0;
    for (const pool of states) {
      const wordOf = (tick: number, up: number) => Math.floor((Math.floor(tick / pool.tickSpacing) + up) / 256);
      for (const zeroForOne of [true, false]) {
        const most = walk(pool, zeroForOne).mostInput(1n << 256n);
        for (let amountIn = 1n; amountIn < most; amountIn = amountIn * 5n + 2n) {
          const tick = tickAtSqrtRatio(swapConcentrated(pool, zeroForOne, amountIn).sqrtPriceX96);
          const [low, high] = [Math.min(tick, pool.tick), Math.max(tick, pool.tick)];
          const crossed = pool.ticks.filter((one) => low < one.tick && one.tick <= high).length;
          const up = zeroForOne ? 0 : 1;
          const words = 1 + wordOf(high, up) - wordOf(low, up);
          expect(walk(pool, zeroForOne).work(amountIn)).toEqual({ crossed, words, moved: low !== high });
          if (crossed > 0) crossing++;
        }
      }
    }
    expect(crossing).toBeGreaterThan(20);
  });

  it('takes up to the capacity and not one more', () => {
    for (const pool of states) {
      for (const zeroForOne of [true, false]) {
        const most = walk(pool, zeroForOne).mostInput(1n << 256n);
        if (most > 0n) {
          const whole = swapConcentrated(pool, zeroForOne, most);
          expect(zeroForOne ? whole.amount0 : whole.amount1).toBe(most);
          expect(walk(pool, zeroForOne).output(most)).toBe(-(zeroForOne ? whole.amount1 : whole.amount0));
        }
        expect(walk(pool, zeroForOne).output(most + 1n)).toBe(NOT_TAKEN);
        const over = swapConcentrated(pool, zeroForOne, most + 1n);
        expect((zeroForOne ? over.amount0 : over.amount1) <= most).toBe(true);
      }
    }
  });

  it('finds the greatest input for an output, at every scale', () => {
    for (const pool of states) {
      for (const zeroForOne of [true, false]) {
        const capacity = walk(pool, zeroForOne).mostInput(1n << 256n);
        for (let limit = 0n; limit < 1n << 100n; limit = limit * 7n + 3n) {
          const most = walk(pool, zeroForOne).mostInput(limit);
          expect(most <= capacity).toBe(true);
          if (most > 0n) expect(walk(pool, zeroForOne).output(most) <= limit).toBe(true);
          const more = walk(pool, zeroForOne).output(most + 1n);
          expect(more === NOT_TAKEN ? most === capacity : more > limit).toBe(true);
        }
      }
    }
  });

  it('does the same for pairs', () => {
    const full = (1n << 112n) - 1n;
    for (const [reserveIn, reserveOut] of [
      [1n, 1n],
      [1000n, 7n],
      [10n ** 18n, 10n ** 24n],
      [full - 5n, full],
    ] as const) {
      const capacity = constantProductCapacity(reserveIn);
      expect(reserveIn + capacity).toBe(full);
      for (let limit = 0n; limit < 1n << 120n; limit = limit * 7n + 3n) {
        const most = constantProductMostInput(limit, reserveIn, reserveOut, 3000);
        expect((constantProductOutput(most, reserveIn, reserveOut, 3000) ?? 0n) <= limit).toBe(true);
        const more = constantProductOutput(most + 1n, reserveIn, reserveOut, 3000)!;
        expect(most === capacity || more > limit).toBe(true);
      }
    }
  });
});
