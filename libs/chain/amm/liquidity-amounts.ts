import type { TickRecord } from '#libs/protocol/blocks.js';
import { sqrtRatioAtTick } from './tick-math.js';

/** Bits kept below one unit while the terms are summed. */
const FRACTION = 64n;

/**
 * The tokens that a concentrated pool's positions hold at its price, uncollected fees left out: the sum over its
 * initialized ticks, so that no position need be known. Invariant: the order of the ticks does not matter; each of them
 * adds less than 2^-64 of a unit of rounding.
 */
export function amountsOfLiquidity(
  sqrtPriceX96: bigint,
  tick: number,
  ticks: Iterable<TickRecord>,
): { amount0: bigint; amount1: bigint } {
  let sum0 = 0n;
  let sum1 = 0n;
  for (const { tick: index, liquidityNet } of ticks) {
    const ratio = sqrtRatioAtTick(index);
    // Below the price a range holds token1 from its lower tick up to the price, above it token0 up to its upper tick.
    if (index <= tick) sum1 += liquidityNet * (sqrtPriceX96 - ratio);
    else sum0 += ((liquidityNet * (sqrtPriceX96 - ratio)) << (96n + FRACTION)) / (sqrtPriceX96 * ratio);
  }
  return { amount0: positive(sum0 >> FRACTION), amount1: positive(sum1 >> 96n) };
}

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
