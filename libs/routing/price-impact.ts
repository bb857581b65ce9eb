import { statesPrice } from '#libs/protocol/blocks.js';
import type { Route, RouteHop } from './route.js';

const FEE_UNIT = 1_000_000n;
const Q192 = 1n << 192n;

/**
 * By how many basis points a route gives less than its pools' spot prices before the trade would, fees left out; to the
 * nearest. Exact integers; null where a pool has no spot.
 */
export function impactBps({ hops, amountOut }: Route): number | null {
  let ideal = hops[0]!.amountIn;
  let divisor = 1n;
  for (const { pool, zeroForOne } of hops) {
    const spot = spotOf(pool, zeroForOne);
    if (spot === null) return null;
    ideal *= spot.numerator * (FEE_UNIT - BigInt(pool.feePpm));
    divisor *= spot.denominator * FEE_UNIT;
  }
  // A base unit that rounding takes at the end is no impact.
  const atSpot = ideal / divisor;
  if (atSpot <= amountOut) return 0;
  return Number((20_000n * (atSpot - amountOut) + atSpot) / (2n * atSpot));
}

/** What comes out for one unit that goes in. */
function spotOf(
  pool: RouteHop['pool'],
  zeroForOne: boolean,
): { readonly numerator: bigint; readonly denominator: bigint } | null {
  const [zero, one] = statesPrice(pool.kind)
    ? [Q192, pool.sqrtPriceX96 * pool.sqrtPriceX96]
    : [pool.reserve0, pool.reserve1];
  if (zero <= 0n || one <= 0n) return null;
  return zeroForOne ? { numerator: one, denominator: zero } : { numerator: zero, denominator: one };
}
