/**
 * Raw units of output for one raw unit of input before fees, at a square root price in Q64.64 of token B for one A; null
 * for no price.
 */
export function outputPerInput(sqrtPrice: bigint, aToB: boolean): { numerator: bigint; denominator: bigint } | null {
  if (sqrtPrice === 0n) return null;
  const price = sqrtPrice * sqrtPrice;
  const one = 1n << 128n;
  return aToB ? { numerator: price, denominator: one } : { numerator: one, denominator: price };
}
