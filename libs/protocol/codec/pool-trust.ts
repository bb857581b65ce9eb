import type { PoolStateFact, SetApart } from '../facts.js';
import { unencodable } from './byte-writer.js';

/**
 * Whether a pool's numbers are known, in one byte: 0 not yet, 1 anchored, from 2 on why it is set apart.
 * Invariant: a reason keeps its number for ever; new ones are added at the end.
 */
const REASONS: readonly SetApart[] = ['amounts', 'price', 'liquidity', 'ticks'];
const ANCHORED = 1;
const FIRST_REASON = 2;

/** Why it is set apart, by the number; empty where it is not. */
export const POOL_TRUST_NAMES: readonly string[] = ['', '', ...REASONS];

type PoolTrust = Pick<PoolStateFact, 'anchored' | 'setApart'>;

export function poolTrustCode({ anchored, setApart }: PoolTrust): number {
  if (setApart === null) return anchored ? ANCHORED : 0;
  const reason = REASONS.indexOf(setApart);
  if (reason < 0 || anchored) unencodable(`a pool set apart for ${String(setApart)}, anchored: ${anchored}`);
  return FIRST_REASON + reason;
}

/** Undefined: no trust has this number. */
export function poolTrustOf(code: number): PoolTrust | undefined {
  if (code < FIRST_REASON) return { anchored: code === ANCHORED, setApart: null };
  const setApart = REASONS[code - FIRST_REASON];
  return setApart && { anchored: false, setApart };
}
