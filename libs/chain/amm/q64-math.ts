import { refuse, u64, u128 } from './refusal.js';

/**
 * Fixed-point arithmetic of Solana programs that keep prices as Q64.64. Invariant: every rounding is the program's own,
 * and a value that its integer types cannot hold is refused, so that results agree to the unit.
 */
export const ONE_Q64 = 1n << 64n;
const U128_MAX = (1n << 128n) - 1n;
const MAX_EXPONENT = 0x80000;

export const ceilDiv = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/**
 * base^exponent in Q64.64 by repeated squaring below one: a base above one is inverted first and the result last, which
 * is where the program's own rounding comes from.
 */
export function powQ64(base: bigint, exponent: number): bigint {
  if (exponent === 0) return ONE_Q64;
  let left = Math.abs(exponent);
  if (left >= MAX_EXPONENT || base === 0n) return refuse();
  const inverted = base >= ONE_Q64;
  let square = inverted ? U128_MAX / base : base;
  let result = ONE_Q64;
  while (left > 0) {
    if (left & 1) result = (result * square) >> 64n;
    square = (square * square) >> 64n;
    left >>= 1;
  }
  if (result === 0n) return refuse();
  return exponent < 0 !== inverted ? U128_MAX / result : result;
}

/** Token A between two prices: liquidity · (upper − lower) / (upper · lower), liquidity in Q128. */
export function amountABetween(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const denominator = lower * upper;
  if (denominator <= 0n || upper < lower) return refuse();
  const product = liquidity * (upper - lower);
  return roundUp ? ceilDiv(product, denominator) : product / denominator;
}

/** Token B between two prices: liquidity · (upper − lower), liquidity in Q128. */
export function amountBBetween(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  if (upper < lower) return refuse();
  const product = liquidity * (upper - lower);
  return roundUp ? (product + U128_MAX) >> 128n : product >> 128n;
}

/** Price after token A or B came in; rounded so that the target is not passed. */
export function priceAfterIn(price: bigint, liquidity: bigint, amount: bigint, isA: boolean): bigint {
  if (price === 0n || liquidity === 0n) return refuse();
  if (amount === 0n) return price;
  return isA
    ? u128(ceilDiv(liquidity * price, liquidity + amount * price))
    : u128(price + (amount << 128n) / liquidity);
}

/** Price after token B (`aToB`) or A went out; rounded so that the output is met. */
export function priceAfterOut(price: bigint, liquidity: bigint, amount: bigint, aToB: boolean): bigint {
  if (price === 0n || liquidity === 0n) return refuse();
  if (amount === 0n) return price;
  if (aToB) return u128(price - ceilDiv(amount << 128n, liquidity));
  const denominator = liquidity - amount * price;
  return denominator <= 0n ? refuse() : u128(ceilDiv(liquidity * price, denominator));
}

/** What went in or out on the side of token A (`ofA`) or B while the price moved, as the program's u64. */
export function amountMoved(from: bigint, to: bigint, liquidity: bigint, ofA: boolean, roundUp: boolean): bigint {
  const [lower, upper] = from < to ? [from, to] : [to, from];
  return u64((ofA ? amountABetween : amountBBetween)(lower, upper, liquidity, roundUp));
}

/** The smaller one; `Math.min` takes no bigint. */
