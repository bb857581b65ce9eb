import type { Ratio } from './pool-math.js';

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

/** Greatest integer whose square is at most the value, by Newton's method from above. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = firstGuess(value);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** At least the root: the root of the leading bits as a double, with more than its error added. */
function firstGuess(value: bigint): bigint {
  const bits = value.toString(16).length * 4;
  const shift = Math.max(0, bits - 52) & ~1;
  const leading = Math.sqrt(Number(value >> BigInt(shift)));
  return BigInt(Math.ceil(leading) + 2) << BigInt(shift / 2);
}
