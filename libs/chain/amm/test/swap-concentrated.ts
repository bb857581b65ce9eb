import { type ConcentratedPool, stepBoundary, tickIndexAtOrBelow } from '../concentrated-swap.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from '../tick-math.js';
import { swapStep } from './swap-step.js';

/**
 * A whole swap on a concentrated-liquidity pool, as UniswapV3Pool.swap computes it.
 * Invariant: exact to the base unit. The contract stops at every boundary of a 256-tick bitmap word even where no tick
 * is initialised, and rounds there; so does this loop.
 */
interface ConcentratedSwap {
  /** Signed pool deltas: positive goes into the pool. */
  amount0: bigint;
  amount1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
}

/** The contract would revert: AS (no amount), SPL (price limit on the wrong side). */
export class SwapRevertError extends Error {
  constructor(readonly reason: 'AS' | 'SPL') {
    super(`the pool would revert: ${reason}`);
  }
}

/** `amountSpecified` > 0: exact input; < 0: exact output. Ends early at the price limit. */
export function swapConcentrated(
  pool: ConcentratedPool,
  zeroForOne: boolean,
  amountSpecified: bigint,
  sqrtPriceLimitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n,
): ConcentratedSwap {
  if (amountSpecified === 0n) throw new SwapRevertError('AS');
  const limitFits = zeroForOne
    ? sqrtPriceLimitX96 < pool.sqrtPriceX96 && sqrtPriceLimitX96 > MIN_SQRT_RATIO
    : sqrtPriceLimitX96 > pool.sqrtPriceX96 && sqrtPriceLimitX96 < MAX_SQRT_RATIO;
  if (!limitFits) throw new SwapRevertError('SPL');

  const exactIn = amountSpecified > 0n;
  const fee = BigInt(pool.feePpm);
  let { sqrtPriceX96: price, tick, liquidity } = pool;
  let remaining = amountSpecified;
  let calculated = 0n;
  let index = tickIndexAtOrBelow(pool.ticks, tick);

  while (remaining !== 0n && price !== sqrtPriceLimitX96) {
    const start = price;
    const candidate = pool.ticks[zeroForOne ? index : index + 1];
    const bound = stepBoundary(tick, pool.tickSpacing, zeroForOne, liquidity);
    const initialized = candidate !== undefined && (zeroForOne ? candidate.tick >= bound : candidate.tick <= bound);
    const next = initialized ? candidate.tick : bound;
    const nextPrice = sqrtRatioAtTick(next);
    const limitFirst = zeroForOne ? nextPrice < sqrtPriceLimitX96 : nextPrice > sqrtPriceLimitX96;
    const step = swapStep(price, limitFirst ? sqrtPriceLimitX96 : nextPrice, liquidity, remaining, fee);
    price = step.sqrtPriceX96;
    if (exactIn) {
      remaining -= step.amountIn + step.feeAmount;
      calculated -= step.amountOut;
    } else {
      remaining += step.amountOut;
      calculated += step.amountIn + step.feeAmount;
    }
    if (price === nextPrice) {
      if (initialized) {
        liquidity += zeroForOne ? -candidate.liquidityNet : candidate.liquidityNet;
        index += zeroForOne ? -1 : 1;
      }
      tick = zeroForOne ? next - 1 : next;
    } else if (price !== start) tick = tickAtSqrtRatio(price);
  }

  const used = amountSpecified - remaining;
  const [amount0, amount1] = zeroForOne === exactIn ? [used, calculated] : [calculated, used];
  return { amount0, amount1, sqrtPriceX96: price, tick, liquidity };
}
