import { statesPrice } from '#libs/protocol/blocks.js';
import type { Route, RouteHop } from './route.js';

const FEE_UNIT = 1_000_000n;
const Q192 = 1n << 192n;

/**
 * By how many basis points a route gives less than its pools' spot prices before the trade would, fees left out; to the
 * nearest. Exact; null where a pool has no spot.
 */
export function impactBps(route: Route): number | null {
  return roughImpact(route) ?? exactImpact(route);
}

/** In floats; null where their errors, and the base unit of rounding, leave more than one answer. */
function roughImpact({ hops, amountOut }: Route): number | null {
  let atSpot = Number(hops[0]!.amountIn);
  for (const { pool, zeroForOne } of hops) {
    const price = roughSpot(pool);
    atSpot *= (zeroForOne ? price : 1 / price) * (1 - pool.feePpm / 1e6);
  }
  if (!(atSpot > 0 && atSpot < Number.POSITIVE_INFINITY)) return null;
  const impact = 10_000 * (1 - Number(amountOut) / atSpot);
  const doubt = 10_000 * (FLOAT_ERROR + 2 / atSpot);
  const bps = Math.round(impact);
  return Math.abs(impact - bps) < 0.5 - doubt ? Math.max(0, bps) : null;
}

/** More than the relative error of a few dozen operations. */
const FLOAT_ERROR = 1e-13;

/** token1 for one token0. */
function roughSpot({ kind, sqrtPriceX96, reserve0, reserve1 }: RouteHop['pool']): number {
  if (!statesPrice(kind)) return Number(reserve1) / Number(reserve0);
  const root = Number(sqrtPriceX96) / 2 ** 96;
  return root * root;
}

function exactImpact({ hops, amountOut }: Route): number | null {
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
