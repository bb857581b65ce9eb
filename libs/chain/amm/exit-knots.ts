import { tickIndexAtOrBelow } from './concentrated-swap.js';
import { amount0Between, amount1Between, type RangedPool } from './quote-depth.js';
import { sqrtRatioAtTick } from './tick-math.js';

/** Sales of one token into a pool, without fees, until its price there is 2 %, 10 %, and three quarters lower. */
export interface ExitKnots {
  /** How much of the token is sold, rounded up. */
  readonly sold: readonly [bigint, bigint, bigint];
  /** How much of the other token that brings, rounded down. */
  readonly brought: readonly [bigint, bigint, bigint];
}

/** Roots of 0.98, 0.9 and a quarter. */
const UNIT = 10n ** 12n;
const ROOTS = [989_949_493_661n, 948_683_298_050n, UNIT / 2n] as const;

/**
 * Of a pool whose liquidity is in ranges, in one walk over those that the sale crosses. Invariant: what a knot says to be brought is
 * `quoteDepth` at the last of them, to the unit.
 */
export function exitKnots({ sqrtPriceX96, tick, liquidity, ticks }: RangedPool, ofToken0: boolean): ExitKnots {
  const limits = ROOTS.map((root) => (ofToken0 ? (sqrtPriceX96 * root) / UNIT : (sqrtPriceX96 * UNIT) / root));
  // The walk that the last limit ends is that of the depth, whose limit is exact.
  limits[2] = ofToken0 ? sqrtPriceX96 >> 1n : sqrtPriceX96 << 1n;
  const step = ofToken0 ? -1 : 1;
  let index = tickIndexAtOrBelow(ticks, tick) + (ofToken0 ? 0 : 1);
  let price = sqrtPriceX96;
  let active = liquidity;
  let [sum0, sum1] = [0n, 0n];
  const sold: bigint[] = [];
  const brought: bigint[] = [];
  for (const limit of limits) {
    const beyond = (root: bigint): boolean => (ofToken0 ? root <= limit : root >= limit);
    for (;;) {
      const next = ticks[index];
      const root = next === undefined ? limit : sqrtRatioAtTick(next.tick);
      const end = beyond(root) ? limit : root;
      if (ofToken0 ? end < price : end > price) {
        const [low, high] = ofToken0 ? [end, price] : [price, end];
        sum0 += amount0Between(active, low, high);
        sum1 += amount1Between(active, low, high);
        price = end;
      }
      if (next === undefined || beyond(root)) break;
      active += ofToken0 ? -next.liquidityNet : next.liquidityNet;
      index += step;
    }
    sold.push(ofToken0 ? (sum0 >> 64n) + 1n : (sum1 >> 96n) + 1n);
    brought.push(ofToken0 ? sum1 >> 96n : sum0 >> 64n);
  }
  return { sold: sold as unknown as ExitKnots['sold'], brought: brought as unknown as ExitKnots['brought'] };
}
