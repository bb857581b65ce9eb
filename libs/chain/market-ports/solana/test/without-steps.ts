import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';

/** What an SDK states of a swap as well. */
export function withoutSteps(swap: CurveSwap | null): Omit<CurveSwap, 'steps'> | null {
  if (swap === null) return null;
  const { steps, ...amounts } = swap;
  return amounts;
}
