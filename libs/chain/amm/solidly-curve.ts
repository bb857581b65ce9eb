import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import { storableSpot } from './spot-price.js';

/**
 * Solidly's curve for tokens of like worth: x³y + y³x stays what it is, x and y in whole tokens. Its spot is the slope
 * (3x²y + y³) / (x³ + 3xy²): whole quote tokens for one whole base token, without the fee.
 * Invariant: one division, rounded towards zero.
 */
export function solidlyStableSpot(
  baseReserve: bigint,
  quoteReserve: bigint,
  baseDecimals: number,
  quoteDecimals: number,
): E36 | null {
  if (baseReserve <= 0n || quoteReserve <= 0n) return null;
  // Both in one unit; which one does not matter, since the slope is a ratio of two sums of the same degree.
  const unit = Math.max(baseDecimals, quoteDecimals);
  const x = baseReserve * pow10(unit - baseDecimals);
  const y = quoteReserve * pow10(unit - quoteDecimals);
  const [xx, yy] = [x * x, y * y];
  return storableSpot((y * (3n * xx + yy) * ONE_E36) / (x * (xx + 3n * yy)));
}

/** The same to about fifteen digits, from whole tokens; NaN where there is none. */
export function roughSolidlyStableSpot(base: number, quote: number): number {
  const [xx, yy] = [base * base, quote * quote];
  return (quote * (3 * xx + yy)) / (base * (xx + 3 * yy));
}
