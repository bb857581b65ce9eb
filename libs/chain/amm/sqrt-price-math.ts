/**
 * Uniswap V3 SqrtPriceMath: amounts between two prices and the price after an amount.
 * Invariant: rounds as the contract does, always in the pool's favour, and takes the contract's second formula where the
 * first would overflow 256 bits (it rounds differently).
 */
const LOW_96 = (1n << 96n) - 1n;
export const MAX_UINT160 = (1n << 160n) - 1n;
const MAX_UINT256 = (1n << 256n) - 1n;

/** The contract would revert. */
export class PriceRangeError extends RangeError {
  constructor() {
    super('the amount moves the price out of range');
  }
}

export function divRoundingUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return quotient * denominator === numerator ? quotient : quotient + 1n;
}

export function amount0Delta(priceA: bigint, priceB: bigint, liquidity: bigint, roundUp: boolean): bigint {
  if (priceA > priceB) return amount0Delta(priceB, priceA, liquidity, roundUp);
  // The contract divides by one price after the other; rounded in the same direction, one division by both is the same.
  const product = (liquidity << 96n) * (priceB - priceA);
  const prices = priceA * priceB;
  return roundUp ? divRoundingUp(product, prices) : product / prices;
}

export function amount1Delta(priceA: bigint, priceB: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (priceA < priceB ? priceB - priceA : priceA - priceB);
  return (roundUp ? product + LOW_96 : product) >> 96n;
}

/** The price after an input, without the fee. */
export function priceAfterInput(price: bigint, liquidity: bigint, amountIn: bigint, zeroForOne: boolean): bigint {
  if (zeroForOne) {
    if (amountIn === 0n) return price;
    const numerator = liquidity << 96n;
    const product = amountIn * price;
    if (product <= MAX_UINT256 && numerator + product <= MAX_UINT256)
      return divRoundingUp(numerator * price, numerator + product);
    return divRoundingUp(numerator, numerator / price + amountIn);
  }
  const next = price + (amountIn << 96n) / liquidity;
  if (next > MAX_UINT160) throw new PriceRangeError();
  return next;
}
