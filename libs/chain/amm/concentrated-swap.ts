import { MAX_TICK, MIN_TICK } from './tick-math.js';

/** A concentrated-liquidity pool, and where a swap of it stops as UniswapV3Pool.swap does. */
export interface ConcentratedPool {
  /** Parts per million. */
  feePpm: number;
  tickSpacing: number;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  /** Initialised ticks, ascending. */
  ticks: readonly LiquidityTick[];
}

export interface LiquidityTick {
  tick: number;
  liquidityNet: bigint;
}

/** Index of the last tick at or below; −1 when there is none. */
export function tickIndexAtOrBelow(ticks: readonly LiquidityTick[], tick: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ticks[middle]!.tick <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Furthest tick that the next step may reach: the end of the bitmap word that the contract looks at. Without liquidity
 * a step moves nothing but the price, so its words are passed at once.
 */
export function stepBoundary(tick: number, spacing: number, zeroForOne: boolean, liquidity: bigint): number {
  if (liquidity === 0n) return zeroForOne ? MIN_TICK : MAX_TICK;
  const compressed = Math.floor(tick / spacing);
  return zeroForOne
    ? Math.max(MIN_TICK, ((compressed >> 8) << 8) * spacing)
    : Math.min(MAX_TICK, ((((compressed + 1) >> 8) << 8) + 255) * spacing);
}
