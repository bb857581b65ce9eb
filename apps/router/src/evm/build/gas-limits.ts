import type { EvmSwapPlan } from '../model/swap-plan.js';
import type { Outcome } from './sequence.js';

/** A fifth on top for what moves until the transaction is mined, and for the sixty-fourth that every call keeps back. */
const MARGIN = 5n;

/** Gas limit of each transaction of a build. */
export function gasLimits(plan: EvmSwapPlan, { results, firstEstimate }: Outcome): bigint[] {
  const first = results[0]!.gasNeeded;
  // What the node asks beyond running it (the publishing of its data on another chain) is asked of every transaction.
  const beyond = firstEstimate !== null && firstEstimate > first ? firstEstimate - first : 0n;
  const spare = (plan.venue?.swaps.spareGasPerHop ?? 0n) * BigInt(plan.pools.length);
  return results.map(({ gasNeeded }, n) => {
    const base = gasNeeded + beyond;
    return base + base / MARGIN + (n === results.length - 1 ? spare : 0n);
  });
}
