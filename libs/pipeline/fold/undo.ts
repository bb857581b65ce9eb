import type { TickRecord } from '#libs/protocol/blocks.js';
import type { PoolUndo } from './pool-state.js';
import type { TablePool, TokenEntry } from './token-table.js';

/** What the block that is being folded changed of pools and ticks, as the values before it. */
export interface BlockUndo {
  /** One per touched pool. */
  pools: PoolUndo<TokenEntry>[];
}

/** Opens the pool's undo record of this block, once; `block.pools` holds it. */
export function touchPool(block: BlockUndo, pool: TablePool): PoolUndo<TokenEntry> {
  if (pool.undo !== null) return pool.undo;
  const undo: PoolUndo<TokenEntry> = { pool, before: pool.saved, ticks: null, replaced: false, moves: null };
  pool.undo = undo;
  block.pools.push(undo);
  return undo;
}

export function openNewPool(block: BlockUndo, pool: TablePool): void {
  const undo: PoolUndo<TokenEntry> = { pool, before: null, ticks: null, replaced: false, moves: null };
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
