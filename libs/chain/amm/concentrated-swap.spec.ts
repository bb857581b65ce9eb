import { readFileSync } from 'node:fs';
import type { ConcentratedPool, LiquidityTick } from './concentrated-swap.js';
import { amount0Delta, amount1Delta } from './sqrt-price-math.js';
import { SwapRevertError, swapConcentrated } from './test/swap-concentrated.js';
import { swapStep } from './test/swap-step.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.js';

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8'));

interface CorePool {
  fee: number;
  tickSpacing: number;
  startingSqrtPriceX96: string;
  positions: { tickLower: number; tickUpper: number; liquidity: string }[];
}

/** The pool after its mints, with its balances. */
function minted(pool: CorePool): { state: ConcentratedPool; balance0: bigint; balance1: bigint } {
  const price = BigInt(pool.startingSqrtPriceX96);
  const tick = tickAtSqrtRatio(price);
  const net = new Map<number, bigint>();
  let liquidity = 0n;
  let balance0 = 0n;
  let balance1 = 0n;
  for (const position of pool.positions) {
    const amount = BigInt(position.liquidity);
    const [lower, upper] = [sqrtRatioAtTick(position.tickLower), sqrtRatioAtTick(position.tickUpper)];
    net.set(position.tickLower, (net.get(position.tickLower) ?? 0n) + amount);
    net.set(position.tickUpper, (net.get(position.tickUpper) ?? 0n) - amount);
    if (tick < position.tickLower) balance0 += amount0Delta(lower, upper, amount, true);
    else if (tick >= position.tickUpper) balance1 += amount1Delta(lower, upper, amount, true);
    else {
      balance0 += amount0Delta(price, upper, amount, true);
      balance1 += amount1Delta(lower, price, amount, true);
      liquidity += amount;
    }
  }
  const ticks: LiquidityTick[] = [...net].map(([at, liquidityNet]) => ({ tick: at, liquidityNet }));
  ticks.sort((a, b) => a.tick - b.tick);
  const state = { feePpm: pool.fee, tickSpacing: pool.tickSpacing, sqrtPriceX96: price, tick, liquidity, ticks };
  return { state, balance0, balance1 };
}

describe('concentrated liquidity', () => {
  it.each(['uniswap', 'pancake'])('reproduces the %s core swap vectors to the base unit', (venue) => {
    const { pools, cases } = fixture(`v3-${venue}-core-swaps.json`);
    let exact = 0;
    let reverted = 0;
    for (const [index, vector] of cases.entries()) {
      const { state, balance0, balance1 } = minted(pools[vector.pool]);
      const run = () =>
        swapConcentrated(state, vector.zeroForOne, BigInt(vector.amountSpecified), BigInt(vector.sqrtPriceLimit));
      if (vector.outcome === 'revert') {
        expect(run).toThrow(new SwapRevertError('SPL'));
        reverted++;
        continue;
      }
      const swap = run();
      expect({ index, balance0, balance1, amount0: swap.amount0, amount1: swap.amount1, tick: swap.tick }).toEqual({
        index,
        balance0: BigInt(vector.amount0Before),
        balance1: BigInt(vector.amount1Before),
        amount0: BigInt(vector.amount0Delta),
        amount1: BigInt(vector.amount1Delta),
        tick: vector.tickAfter,
      });
      if (vector.sqrtPriceX96After !== undefined) expect(swap.sqrtPriceX96).toBe(BigInt(vector.sqrtPriceX96After));
      if (vector.liquidityAfter !== undefined) expect(swap.liquidity).toBe(BigInt(vector.liquidityAfter));
      exact++;
    }
    expect(exact).toBeGreaterThan(90);
    expect(reverted).toBeGreaterThan(0);
  });

  it('reproduces quotes on real pool states, among them one that rounds to nothing at every word boundary', () => {
    const { pools } = fixture('v3-real-pools.json');
    let quotes = 0;
    for (const pool of pools) {
      const state: ConcentratedPool = {
        feePpm: pool.fee,
        tickSpacing: pool.tickSpacing,
        sqrtPriceX96: BigInt(pool.sqrtPriceX96),
        tick: pool.tick,
        liquidity: BigInt(pool.liquidity),
        ticks: pool.ticks.map(([tick, net]: [number, string]) => ({ tick, liquidityNet: BigInt(net) })),
      };
      for (const quote of pool.quotes) {
        const swap = swapConcentrated(state, quote.zeroForOne, BigInt(quote.amountIn));
        expect(-(quote.zeroForOne ? swap.amount1 : swap.amount0)).toBe(BigInt(quote.expectedAmountOut));
        quotes++;
      }
    }
    expect(quotes).toBeGreaterThan(10);
  });

  it('agrees with the tick and step vectors', () => {
    const vectors = fixture('v3-math.json');
    for (const { tick, sqrtRatioX96 } of vectors.sqrtRatioAtTick)
      expect(sqrtRatioAtTick(tick)).toBe(BigInt(sqrtRatioX96));
    for (const { tick, sqrtRatioX96 } of vectors.tickAtSqrtRatio)
      expect(tickAtSqrtRatio(BigInt(sqrtRatioX96))).toBe(tick);
    for (const vector of vectors.swapSteps) {
      const step = swapStep(
        BigInt(vector.sqrtPriceX96),
        BigInt(vector.sqrtTargetX96),
        BigInt(vector.liquidity),
        BigInt(vector.amountRemaining),
        BigInt(vector.feePips),
      );
      expect([step.amountIn, step.amountOut, step.feeAmount]).toEqual(
        [vector.expected.amountIn, vector.expected.amountOut, vector.expected.feeAmount].map(BigInt),
      );
    }
    expect(sqrtRatioAtTick(-887272)).toBe(MIN_SQRT_RATIO);
    expect(sqrtRatioAtTick(887272)).toBe(MAX_SQRT_RATIO);
  });

  it('finds the tick of every price recorded on chain', () => {
    const { swaps } = fixture('v3-onchain-prices.json');
    expect(swaps.length).toBeGreaterThan(100);
    for (const swap of swaps)
      expect([swap.txHash, tickAtSqrtRatio(BigInt(swap.sqrtPriceX96After))]).toEqual([swap.txHash, swap.tickAfter]);
  });

  it('inverts the tick table at its ends and around every power of two', () => {
    const ticks = [-887272, -887271, 887270, 887271, 0];
    for (let bit = 0; bit < 20; bit++)
      for (const offset of [-1, 0, 1]) ticks.push(2 ** bit + offset, -(2 ** bit) + offset);
    for (const tick of ticks.filter((at) => at >= -887272 && at < 887272)) {
      const ratio = sqrtRatioAtTick(tick);
      expect(tickAtSqrtRatio(ratio)).toBe(tick);
      if (tick > -887272) expect(tickAtSqrtRatio(ratio - 1n)).toBe(tick - 1);
    }
    expect(() => tickAtSqrtRatio(MAX_SQRT_RATIO)).toThrow(RangeError);
    expect(() => sqrtRatioAtTick(887273)).toThrow(RangeError);
  });
});
