/**
 * Constant-product pools (Uniswap V2 and its forks), fee in parts per million of the input.
 * Invariant: what the library contract computes; the fee as a fraction of 1e6 floors to the same integers as 997/1000
 * or 9975/10000. Null where the contract reverts.
 */
const FEE_UNIT = 1_000_000n;

/** A pair keeps its reserves in 112 bits and refuses what would make one of them larger. */
const MAX_RESERVE = (1n << 112n) - 1n;

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

/** The most that a pair takes. No product of the contract overflows below it: 112 + 10 + 112 bits are fewer than 256. */
export function constantProductCapacity(reserveIn: bigint): bigint {
  return reserveIn < MAX_RESERVE ? MAX_RESERVE - reserveIn : 0n;
}

/** The most that a pair takes and gives at most `mostOutput` for; both reserves above zero. */
export function constantProductMostInput(
  mostOutput: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePpm: number,
): bigint {
  const capacity = constantProductCapacity(reserveIn);
  const above = mostOutput + 1n;
  if (above >= reserveOut) return capacity;
  // The least input that buys one more than `mostOutput`, less one.
  const paid = (reserveOut - above) * (FEE_UNIT - BigInt(feePpm));
  const most = (above * reserveIn * FEE_UNIT + paid - 1n) / paid - 1n;
  return most < capacity ? most : capacity;
}
