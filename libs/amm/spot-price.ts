import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';

/**
 * Spot prices: whole quote tokens for one whole base token, scaled by 1e36, without the pool's fee.
 * Invariant: one division, rounded towards zero; null when the state has no price or the price cannot be stored
 * (zero after rounding, or 1e39 and more, which no Decimal(76, 36) with room to multiply would hold).
 */
export const MAX_SPOT: E36 = pow10(39) * ONE_E36;

const Q192 = 1n << 192n;

export function storableSpot(spot: E36): E36 | null {
  return spot > 0n && spot < MAX_SPOT ? spot : null;
}

/** Spot of a constant-product pool from its raw reserves. */
export function constantProductSpot(
  baseReserve: bigint,
  quoteReserve: bigint,
  baseDecimals: number,
  quoteDecimals: number,
): E36 | null {
  if (baseReserve <= 0n || quoteReserve <= 0n) return null;
  return storableSpot((quoteReserve * pow10(baseDecimals + 36)) / (baseReserve * pow10(quoteDecimals)));
}

/** Spot of a concentrated pool from sqrt(raw token1 / raw token0) · 2^96. */
export function concentratedSpot(
  sqrtPriceX96: bigint,
  baseIsToken0: boolean,
  baseDecimals: number,
  quoteDecimals: number,
): E36 | null {
  if (sqrtPriceX96 <= 0n) return null;
  const squared = sqrtPriceX96 * sqrtPriceX96;
  return storableSpot(
    baseIsToken0
      ? (squared * pow10(baseDecimals + 36)) / (pow10(quoteDecimals) << 192n)
      : (Q192 * pow10(baseDecimals + 36)) / (squared * pow10(quoteDecimals)),
  );
}
