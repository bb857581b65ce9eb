import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, tickAtSqrtRatio } from './tick-math.js';

/** The last tick at or below a price; the outermost one where there is none. */
export function tickOfPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_RATIO) return MIN_TICK;
  return sqrtPriceX96 >= MAX_SQRT_RATIO ? MAX_TICK : tickAtSqrtRatio(sqrtPriceX96);
}
