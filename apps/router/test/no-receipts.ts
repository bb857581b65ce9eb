import type { RouterParts } from './create-router.js';

const summary = { count: 0, executed: 0, medianDifference: null, worstDifference: null };

/** Of a router that keeps no receipts. */
export const noReceipts: RouterParts['receipts'] = {
  chains: [],
  add: () => null,
  list: () => ({ receipts: [], next: null, summary }),
};
