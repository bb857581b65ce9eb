import { ONE_Q64, powQ64 } from './q64-math.js';

/**
 * Prices of bins: (1 + step / 10,000)^bin in Q64.64, with the roundings of Meteora DLMM.
 * Invariant: a price is raw units of token Y for one raw unit of token X; bin 0 is at exactly one.
 */
export const binPriceQ64 = (binStep: number, bin: number): bigint =>
  powQ64(ONE_Q64 + (BigInt(binStep) << 64n) / 10_000n, bin);

/** Refuses (SwapRefused) a bin whose price Q64.64 cannot hold. */
export const binPrice = (binStep: number, bin: number): { numerator: bigint; denominator: bigint } => ({
  numerator: binPriceQ64(binStep, bin),
  denominator: ONE_Q64,
});
