import type { Hex } from '#libs/core/ids.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import type { PoolUndo } from './pool-state.js';
import type { TablePool, TokenEntry } from './token-table.js';

/**
 * What one block changed, as the values before it: enough to take the block back. Prices are not in here: they are a
 * function of pools, tokens and the reference set, and are computed again.
 */
export interface BlockUndo {
  seq: number;
  height: number;
  hash: Hex;
  /** One per touched pool. */
  pools: PoolUndo<TokenEntry>[];
  /** Tokens that became known in the block. */
  tokens: Hex[];
}

/** Opens the pool's undo record of this block, once; `block.pools` holds it. */
export function touchPool(block: BlockUndo, pool: TablePool): PoolUndo<TokenEntry> {
  if (pool.undo !== null) return pool.undo;
  const undo: PoolUndo<TokenEntry> = { pool, before: pool.scalars(), ticks: null, replaced: false };
  pool.undo = undo;
  block.pools.push(undo);
  return undo;
}

export function openNewPool(block: BlockUndo, pool: TablePool): void {
  const undo: PoolUndo<TokenEntry> = { pool, before: null, ticks: null, replaced: false };
  pool.undo = undo;
  block.pools.push(undo);
}

/** The block is folded: its records are closed. */
export function closeBlock(block: BlockUndo): void {
  for (const undo of block.pools) undo.pool.undo = null;
}

export function sameTick(a: TickRecord | null | undefined, b: TickRecord | null | undefined): boolean {
  if (!a || !b) return !a === !b;
  return a.liquidityGross === b.liquidityGross && a.liquidityNet === b.liquidityNet;
}
