import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaPosition } from '#libs/chain/market-ports/solana/pool-positions.js';
import { type LiquidityEvent, poolKinds } from '#libs/protocol/blocks.js';
import type { KnownSolanaPool } from './known-set.js';

/**
 * A change of a position as the log keeps it, in the order of the log's tokens. Null for a pool without ranges. Where that order
 * does not follow from the vaults, the event says only that something changed.
 */
export function positionEvent(
  { pool, owner, vaultA, tickLower, tickUpper, liquidityDelta, amountA, amountB }: SolanaPosition,
  { record, vaults }: KnownSolanaPool,
): Omit<LiquidityEvent, 'tx' | 'ordinal'> | null {
  if (!poolKinds[record.kind].inRanges || record.tickSpacing === 0) return null;
  const of = { kind: 'liquidity', pool, owner } as const;
  const side = vaultA === '' ? 0 : (vaults?.map(solanaIds.formatAddress).indexOf(vaultA) ?? -1);
  if (side === 0) return { ...of, tickLower, tickUpper, liquidityDelta, amount0: amountA, amount1: amountB };
  const told = side === 1 ? { amount0: amountB, amount1: amountA } : { amount0: 0n, amount1: 0n };
  return { ...of, tickLower: -tickUpper || 0, tickUpper: -tickLower || 0, liquidityDelta, ...told };
}
