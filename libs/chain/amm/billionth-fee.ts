import { ceilDiv, ONE_Q64, powQ64 } from './q64-math.js';
import { refuse, u64 } from './refusal.js';

/**
 * Fees in parts per billion as Meteora's programs take them. Invariant: a fee is rounded up, against the trader, both when
 * it is taken from an amount and when it is put on top of one.
 */
export const FEE_BASE = 1_000_000_000n;
const BASIS_POINTS = 10_000n;

/** Fee inside an amount that includes it. */
export const feeWithin = (included: bigint, rate: bigint): bigint => u64(ceilDiv(included * rate, FEE_BASE));

/** The least amount that leaves `excluded` after the fee. */
export const withFee = (excluded: bigint, rate: bigint): bigint =>
  rate >= FEE_BASE ? refuse() : u64(ceilDiv(excluded * FEE_BASE, FEE_BASE - rate));

/** Fee for volatility: control · (accumulator · step)² scaled down from 1e20 to 1e9, rounded up. */
export function variableFee(control: bigint, accumulator: bigint, step: bigint): bigint {
  const moved = accumulator * step;
  return (control * moved * moved + 99_999_999_999n) / 100_000_000_000n;
}

/** Fee after so many periods of a linear schedule. */
export const linearFee = (cliff: bigint, reduction: bigint, periods: bigint): bigint =>
  u64(cliff - reduction * periods);

/** Fee after so many periods of a schedule that shrinks by basis points of itself. */
export function shrinkingFee(cliff: bigint, reductionBps: bigint, periods: bigint): bigint {
  if (reductionBps === 0n) return cliff;
  const base = ONE_Q64 - (reductionBps << 64n) / BASIS_POINTS;
  if (base < 0n) return refuse();
  return (powQ64(base, Number(periods)) * cliff) >> 64n;
}
