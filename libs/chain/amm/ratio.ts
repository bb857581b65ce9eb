import { squareRoot } from './square-root.js';

/** A price as a fraction of raw units. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** What the log's field holds. */
const LIMIT = 1n << 160n;

/**
 * floor(sqrt(ratio) * 2^96), exactly, for a ratio of raw units of token1 to raw units of token0. Null for a ratio that is no
 * price (a side that is zero or negative) or that 160 bits do not hold.
 */
export function sqrtPriceX96({ numerator, denominator }: Ratio): bigint | null {
  if (numerator <= 0n || denominator <= 0n) return null;
  const root = squareRoot((numerator << 192n) / denominator);
  return root === 0n || root >= LIMIT ? null : root;
}
