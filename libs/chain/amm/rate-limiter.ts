import { least } from '#libs/core/bigint-order.js';
import { FEE_BASE, feeWithin, withFee } from './billionth-fee.js';
import { ceilDiv } from './q64-math.js';
import { refuse, u64 } from './refusal.js';
import { squareRoot } from './square-root.js';

/**
 * Meteora's rate limiter: every further reference amount of one purchase pays a fee higher by one increment, up to a
 * maximum. Invariant: rates are those that the programs derive, including the roundings of the calculation back from an
 * amount after fees, which is not always the exact inverse.
 */
export interface RateLimiter {
  readonly cliff: bigint;
  /** Parts per billion per further reference amount. */
  readonly increment: bigint;
  readonly maxFee: bigint;
  readonly reference: bigint;
}

const U64_MAX = (1n << 64n) - 1n;

/** Steps that the fee takes before it is at its maximum. */
function maxIndex({ cliff, increment, maxFee }: RateLimiter): bigint {
  return maxFee < cliff || increment === 0n ? refuse() : (maxFee - cliff) / increment;
}

/** Rate of a purchase of this amount, fee included. */
export function rateOfIncluded(limiter: RateLimiter, amount: bigint): bigint {
  const { cliff, increment, maxFee, reference } = limiter;
  if (amount <= reference) return cliff;
  if (reference === 0n) return refuse();
  const beyond = amount - reference;
  const steps = beyond / reference;
  const rest = beyond % reference;
  const last = maxIndex(limiter);
  const full = least(steps, last);
  const stepped = reference * (cliff + cliff * full + (increment * full * (full + 1n)) / 2n);
  const tail = steps < last ? rest * (cliff + increment * (steps + 1n)) : ((steps - last) * reference + rest) * maxFee;
  const fee = u64(ceilDiv(stepped + tail, FEE_BASE));
  return u64(ceilDiv(fee * FEE_BASE, amount));
}

const excludedOf = (limiter: RateLimiter, included: bigint): bigint =>
  u64(included - feeWithin(included, rateOfIncluded(limiter, included)));

/** Rate of a purchase whose amount after the fee is this one. */
export function rateOfExcluded(limiter: RateLimiter, excluded: bigint): bigint {
  const { cliff, maxFee, reference } = limiter;
  if (excluded <= excludedOf(limiter, reference)) return cliff;
  const wholeRange = (maxIndex(limiter) + 1n) * reference;
  const overflows = wholeRange > U64_MAX;
  const checkedIncluded = overflows ? U64_MAX : wholeRange;
  const checkedExcluded = excludedOf(limiter, checkedIncluded);
  if (excluded === checkedExcluded) return rateOfIncluded(limiter, checkedIncluded);
  let included: bigint;
  if (excluded < checkedExcluded) included = includedBySteps(limiter, excluded);
  else if (overflows) return refuse();
  else included = u64(withFee(excluded - checkedExcluded, maxFee) + checkedIncluded);
  const rate = u64(ceilDiv(u64(included - excluded) * FEE_BASE, included));
  return rate < cliff ? refuse() : rate;
}

/** Solves the parabola through the ends of the steps, then adds the part inside the step at that step's rate. */
function includedBySteps(limiter: RateLimiter, excluded: bigint): bigint {
  const { cliff, increment, reference } = limiter;
  const y = 2n * FEE_BASE * reference + increment * reference - 2n * cliff * reference;
  const z = 2n * excluded * FEE_BASE * reference;
  const discriminant = y * y - 4n * increment * z;
  if (discriminant < 0n) return refuse();
  const whole = u64((y - squareRoot(discriminant)) / (2n * increment));
  const rest = u64(excluded - excludedOf(limiter, whole));
  return u64(whole + withFee(rest, u64(cliff + increment * (whole / reference))));
}
