import { ceilDiv } from './q64-math.js';

/**
 * Curves of Solana programs with one fee on the way in and one on the way out, both rounded up. Invariant: amounts are
 * what the program itself computes; an exact output costs the least input that gives at least as much; null where the
 * program refuses. Amounts are 64 bits wide.
 */
const U64_MAX = (1n << 64n) - 1n;

export const isU64Amount = (value: bigint): boolean => value > 0n && value <= U64_MAX;

/** A part of an amount, at least 0 and below 1. */
export interface FeeRate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const feeOn = (amount: bigint, { numerator, denominator }: FeeRate): bigint => ceilDiv(amount * numerator, denominator);

/** The least amount of which at least `net` is left after the fee. */
const beforeFeeRate = (net: bigint, { numerator, denominator }: FeeRate): bigint =>
  ceilDiv(net * denominator, denominator - numerator);

/** One direction of a curve without fees. */
export interface BareCurve {
  /** What an input of zero or more gives; null where the curve does not take it. */
  output(input: bigint): bigint | null;
  /** The least input that gives at least this output; null when none does. */
  input(output: bigint): bigint | null;
}

export const productCurve = (reserveIn: bigint, reserveOut: bigint): BareCurve => ({
  output: (input) => (reserveIn + input === 0n ? null : (reserveOut * input) / (reserveIn + input)),
  input: (output) => (output >= reserveOut ? null : ceilDiv(reserveIn * output, reserveOut - output)),
});

/**
 * The product curve of programs that divide by spl-math's `checked_ceil_div`, where a quotient below one half is zero: an
 * output that is worth less than half a unit of input would cost nothing, which they refuse.
 */
export const roundedProductCurve = (reserveIn: bigint, reserveOut: bigint): BareCurve => {
  const curve = productCurve(reserveIn, reserveOut);
  const costsNothing = (output: bigint): boolean => 2n * reserveIn * output < reserveOut - output;
  return { ...curve, input: (output) => (costsNothing(output) ? null : curve.input(output)) };
};

/** A swap with what each fee took, every amount in its own side's units. */
export interface FeeSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeIn: bigint;
  readonly feeOut: bigint;
}

export function swapExactIn(curve: BareCurve, rateIn: FeeRate, rateOut: FeeRate, amountIn: bigint): FeeSwap | null {
  if (!isU64Amount(amountIn)) return null;
  const feeIn = feeOn(amountIn, rateIn);
  const gross = curve.output(amountIn - feeIn);
  if (gross === null) return null;
  const feeOut = feeOn(gross, rateOut);
  const amountOut = gross - feeOut;
  return isU64Amount(amountOut) ? { amountIn, amountOut, feeIn, feeOut } : null;
}

/** The input that the program asks for exactly this output: no smaller one gives as much. */
export function swapExactOut(curve: BareCurve, rateIn: FeeRate, rateOut: FeeRate, amountOut: bigint): FeeSwap | null {
  if (!isU64Amount(amountOut)) return null;
  const gross = beforeFeeRate(amountOut, rateOut);
  const net = curve.input(gross);
  if (net === null) return null;
  // Nothing is bought with nothing, also where rounding would leave the buyer something.
  const least = net > 0n ? beforeFeeRate(net, rateIn) : 1n;
  if (!isU64Amount(least)) return null;
  return { amountIn: least, amountOut, feeIn: feeOn(least, rateIn), feeOut: gross - amountOut };
}

export const NO_FEE: FeeRate = { numerator: 0n, denominator: 1n };
