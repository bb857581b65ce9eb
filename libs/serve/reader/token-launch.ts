import type { Hex } from '#libs/core/ids.js';
import { isComplete, type TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import { LAUNCHED, type TokenLaunch } from '#libs/pipeline/projections/launches/projection.js';

/** Where a token comes from. Null: not in view. */
export interface TokenOrigin {
  creator: Hex | null;
  createdAt: number | null;
  /** Null for a token that was not launched on one. */
  launchpad: LaunchpadState | null;
}

export interface LaunchpadState {
  name: string;
  /** The pool that is the curve. */
  curve: Hex;
  progressPpm: number;
  graduated: boolean;
  graduatedAt: number | null;
  graduatedPool: Hex | null;
}

const UNKNOWN: TokenOrigin = { creator: null, createdAt: null, launchpad: null };

/**
 * One function for every route and channel, so that a token shows the same everywhere. The sender of the first mint is the
 * creator only where the token's transfers are all in view: else it may have been minted before.
 */
export function tokenOrigin(row: TokenLaunch | undefined, counts: TokenHolders | undefined): TokenOrigin {
  if (row === undefined) return UNKNOWN;
  const { origin, creator, createdAt, launchpad, curve, progressPpm, graduated, graduatedAt, graduatedPool } = row;
  const launched = origin === LAUNCHED;
  if (!launched && !isComplete(counts)) return UNKNOWN;
  return {
    creator: creator || null,
    createdAt: createdAt || null,
    launchpad: launched
      ? {
          ...{ name: launchpad, curve, progressPpm, graduated: graduated === 1 },
          ...{ graduatedAt: graduatedAt || null, graduatedPool: graduatedPool || null },
        }
      : null,
  };
}
