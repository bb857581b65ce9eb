import type { PriceRules } from '#libs/protocol/blocks.js';

/** The thresholds of the price rules as every chain uses them; an epoch's first record carries a copy. */
export const standardPriceRules: PriceRules = {
  minQuoteUsd: 10,
  depegBps: 100,
  spotFactor: 10,
  dustCents: 1,
};
