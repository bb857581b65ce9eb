import type { SolanaBookPool } from './book-pool.js';
import { MOST_ACCOUNTS } from './slot-reader.js';

/**
 * Groups pools into questions. Invariant: all accounts of a pool are in one question, together with the chain's clock; a
 * pool that needs more than one question holds stays as it is, unread. Accounts that pools share count once.
 */
export function batchesOf(pools: readonly SolanaBookPool[]): {
  batches: SolanaBookPool[][];
  tooLarge: SolanaBookPool[];
} {
  const tooLarge: SolanaBookPool[] = [];
  const batches: SolanaBookPool[][] = [];
  let batch: SolanaBookPool[] = [];
  let held = new Set<string>();
  for (const pool of pools) {
    if (pool.addresses.length >= MOST_ACCOUNTS) {
      tooLarge.push(pool);
      continue;
    }
    const added = pool.addresses.filter((address) => !held.has(address));
    if (held.size + added.length >= MOST_ACCOUNTS) {
      batches.push(batch);
      batch = [];
      held = new Set();
    }
    batch.push(pool);
    for (const address of pool.addresses) held.add(address);
  }
  if (batch.length > 0) batches.push(batch);
  return { batches, tooLarge };
}
