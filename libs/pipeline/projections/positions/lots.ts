import type { E18 } from '#libs/core/money.js';

/** What a wallet holds of a token: `priced` of it was bought at a known price, the rest came by transfer, without cost. */
export interface Lots {
  amount: bigint;
  priced: bigint;
  /** What the priced units cost. */
  costUsd: E18;
}

/** What was taken out of the lots. */
export interface Drawn {
  priced: bigint;
  costUsd: E18;
}

/**
 * Takes units from both lots in proportion. Units that were never seen to come in, as in a log that starts in mid-life, are
 * without cost. Invariant: 0 ≤ priced ≤ amount.
 */
export function draw(lots: Lots, units: bigint): Drawn {
  if (units > lots.amount) lots.amount = units;
  const priced = share(lots.priced, units, lots.amount);
  const costUsd = share(lots.costUsd, priced, lots.priced);
  lots.amount -= units;
  lots.priced -= priced;
  lots.costUsd -= costUsd;
  return { priced, costUsd };
}

/** The part of a value that falls to a part of a whole, rounded down; all of it goes with the last of the whole. */
export function share(value: bigint, part: bigint, whole: bigint): bigint {
  if (part === whole) return value;
  return part === 0n || value === 0n ? 0n : (value * part) / whole;
}
