import { type PoolTraits, smallAnswer } from '#libs/chain/market-ports/evm/contract-probe.js';

/** Fees that the factory starts with; it can set another one for a single pool, which no event of the pool says. */
const VOLATILE_FEE_PPM = 3_000;
const STABLE_FEE_PPM = 500;

/** What a pool is, from the word that says whether it is stable; null where that is neither yes nor no. */
export function poolTraits(stableWord: string | null | undefined): PoolTraits | null {
  const stable = smallAnswer(stableWord, 1);
  if (stable === null) return null;
  return stable === 1
    ? { kind: 'stable', feePpm: STABLE_FEE_PPM, tickSpacing: 0 }
    : { kind: 'constant-product', feePpm: VOLATILE_FEE_PPM, tickSpacing: 0 };
}
