/**
 * Constant-product pools (Uniswap V2 and its forks), fee in parts per million of the input.
 * Invariant: what the library contract computes; the fee as a fraction of 1e6 floors to the same integers as 997/1000
 * or 9975/10000. Null where the contract reverts.
 */
const FEE_UNIT = 1_000_000n;

/** Most that an exact input buys. */
export function constantProductOutput(
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePpm: number,
): bigint | null {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return null;
  const paid = amountIn * (FEE_UNIT - BigInt(feePpm));
  return (paid * reserveOut) / (reserveIn * FEE_UNIT + paid);
}

/** Least input that buys an exact output. */
export function constantProductInput(
  amountOut: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePpm: number,
): bigint | null {
  if (amountOut <= 0n || reserveIn <= 0n || amountOut >= reserveOut) return null;
  return (reserveIn * amountOut * FEE_UNIT) / ((reserveOut - amountOut) * (FEE_UNIT - BigInt(feePpm))) + 1n;
}
