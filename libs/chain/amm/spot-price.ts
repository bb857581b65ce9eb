import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';

/**
 * Spot prices: whole quote tokens for one whole base token, scaled by 1e36, without the pool's fee.
 * Invariant: one division, rounded towards zero; null when the state has no price or the price cannot be stored
 * (zero after rounding, or 1e39 and more, which no Decimal(76, 36) with room to multiply would hold).
 */
const MAX_SPOT: E36 = pow10(39) * ONE_E36;

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
  const scale = 36 + baseDecimals - quoteDecimals;
  return storableSpot(
    scale >= 0 ? (quoteReserve * pow10(scale)) / baseReserve : quoteReserve / (baseReserve * pow10(-scale)),
  );
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
  const scale = 36 + baseDecimals - quoteDecimals;
  // Dividing by 2^192 is a shift; floors of positive divisions may be taken one after the other.
  if (baseIsToken0) {
    return storableSpot(scale >= 0 ? (squared * pow10(scale)) >> 192n : (squared / pow10(-scale)) >> 192n);
  }
  return storableSpot(scale >= 0 ? (Q192 * pow10(scale)) / squared : Q192 / (squared * pow10(-scale)));
}
