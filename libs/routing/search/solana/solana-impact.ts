import type { SolanaRouteHop } from './solana-route.js';
import { swaps } from './split-route.js';

const PPM = 1_000_000n;

/**
 * By how many parts per million some paths together give less than their pools' spot prices before the trade would, fees
 * left out; to the nearest, never below zero. Exact; null where a pool has no spot.
 */
export function impactPpm(paths: readonly (readonly SolanaRouteHop[])[]): number | null {
  let atSpot = 0n;
  let given = 0n;
  for (const hops of paths) {
    const ideal = idealOutput(hops);
    if (ideal === null) return null;
    atSpot += ideal;
    given += hops.at(-1)!.amountOut;
  }
  if (atSpot <= given) return 0;
  return Number((2n * PPM * (atSpot - given) + atSpot) / (2n * atSpot));
}

/** What the spot prices would give for the first amount, after the fees that the swaps took. A unit of rounding is dropped. */
function idealOutput(hops: readonly SolanaRouteHop[]): bigint | null {
  let numerator = hops[0]!.amountIn;
  let denominator = 1n;
  for (const { pool, zeroForOne, amountIn, amountOut, fee, feeSide } of hops) {
    const spot = pool.state?.spot;
    if (spot === undefined || spot.numerator <= 0n || spot.denominator <= 0n) return null;
    const aToB = zeroForOne === pool.aIsToken0;
    numerator *= aToB ? spot.numerator : spot.denominator;
    denominator *= aToB ? spot.denominator : spot.numerator;
    const [kept, whole] = feeSide === 'input' ? [amountIn - fee, amountIn] : [amountOut, amountOut + fee];
    numerator *= kept;
    denominator *= whole;
  }
  return numerator / denominator;
}

/** The answer is at most this part of itself too small. */
const PRECISION_BITS = 20n;

/**
 * The largest input, to about a millionth of itself, whose impact along the pools of a path is within the limit; null when
 * no power of two below `most` is. Impact along fixed pools grows with the amount, but for rounding.
 */
export function inputWithin(hops: readonly SolanaRouteHop[], most: bigint, limitPpm: number): bigint | null {
  const fits = (amount: bigint): boolean => {
    const path = swaps(hops, 'in', amount);
    return path !== null && (impactPpm([path]) ?? Number.POSITIVE_INFINITY) <= limitPpm;
  };
  let low = 0n;
  let high = most;
  for (let amount = 1n; amount <= most; amount <<= 1n) {
    if (fits(amount)) low = amount;
    else if (low > 0n) {
      high = amount;
      break;
    }
  }
  if (low === 0n) return null;
  if (high === most && fits(most)) return most;
  while (high - low > low >> PRECISION_BITS && high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
