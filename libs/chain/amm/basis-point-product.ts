import { ceilDiv } from './q64-math.js';

/**
 * Amounts of Tidepool's own programs in bigint: a constant product with a fee in basis points, every rounding against the
 * trader. Null where the program finds no result in 64 bits and refuses.
 */
const BPS = 10_000n;
const MAX = 2n ** 64n - 1n;

const inRange = (value: bigint): bigint | null => (value <= MAX ? value : null);

/** What is left of an amount after a fee that is rounded up. */
export const afterFee = (amount: bigint, bps: bigint): bigint => (amount * (BPS - bps)) / BPS;

/** The least amount of which `net` is left after the fee. */
export const beforeFeeBps = (net: bigint, bps: bigint): bigint | null => inRange(ceilDiv(net * BPS, BPS - bps));

export function productOut(reserveIn: bigint, reserveOut: bigint, amount: bigint): bigint | null {
  const sum = reserveIn + amount;
  return sum > MAX || sum === 0n ? null : (reserveOut * amount) / sum;
}

/** The least input that pays this output. */
export function productIn(reserveIn: bigint, reserveOut: bigint, out: bigint): bigint | null {
  return out >= reserveOut ? null : inRange(ceilDiv(reserveIn * out, reserveOut - out));
}

export const isAmount = (amount: bigint): boolean => amount > 0n && amount <= MAX;
/** Whether a vault that holds `reserve` can take this much more. */
export const takes = (reserve: bigint, amount: bigint): boolean => reserve + amount <= MAX;
