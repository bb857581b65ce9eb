import type { Hex } from '#libs/core/ids.js';

/** Tells people what an amount of a token is worth now. */
export interface UsdValuation {
  /** In USD; null where the price is unknown. */
  value(token: Hex, amount: bigint): number | null;
}
