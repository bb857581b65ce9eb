import type { RouterDeps } from '../src/router-deps.js';

const summary = { count: 0, executed: 0, medianDifference: null, worstDifference: null };

/** Of a router that keeps no receipts. */
export const noReceipts: RouterDeps['receipts'] = {
  chains: [],
  add: () => null,
  list: () => ({ receipts: [], next: null, summary }),
};
