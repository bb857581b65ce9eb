import { toDisplayNumber } from '#libs/core/money.js';
import { isComplete, type TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';

/** What is known of a token's supply and holders. Null: not measured, because not all of its transfers are in view. */
export interface TokenSupply {
  /** Raw units: what was minted less what was burnt; of a token that is not measured, what the chain stated when it was first seen. */
  total: bigint | null;
  /** Less what burn addresses hold. */
  circulating: bigint | null;
  holders: number | null;
}

/** One function for every route and channel, so that a token shows the same everywhere. */
export function tokenSupply(record: Pick<TokenRecord, 'totalSupply'>, counts: TokenHolders | undefined): TokenSupply {
  if (!counts || !isComplete(counts)) return { total: record.totalSupply, circulating: null, holders: null };
  const total = counts.minted - counts.burnt;
  return { total, circulating: total - counts.dead, holders: counts.holders };
}

/** Share of an amount in percent, 0-100; null where there is nothing to share, or what cannot be. */
export function sharePercent(amount: bigint, of: bigint | null): number | null {
  if (of === null || of <= 0n || amount < 0n || amount > of) return null;
  return toDisplayNumber((amount * 100n * 10n ** 12n) / of, 12);
}
