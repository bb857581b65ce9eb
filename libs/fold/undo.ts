import type { Hex } from '#libs/core/ids.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import type { PoolScalars, PoolState } from './pool-state.js';

/**
 * What one block changed, as the values before it: enough to take the block back. Prices are not in here: they are a
 * function of pools, tokens and the reference set, and are computed again.
 */
export interface BlockUndo {
  seq: number;
  height: number;
  hash: Hex;
  /** One per touched pool. */
  pools: PoolUndo[];
  /** Tokens that became known in the block. */
  tokens: Hex[];
}

export interface PoolUndo {
  pool: PoolState;
  /** Null: the pool became known in this block. */
  before: PoolScalars | null;
  /** First old value of every tick that the block set (null: there was none). */
  ticks: Map<number, TickRecord | null> | null;
  /** The block's anchor replaced the whole state. */
  replaced: boolean;
}

/** Opens the pool's undo record of this block, once; `block.pools` holds it. */
export function touchPool(block: BlockUndo, pool: PoolState): PoolUndo {
  if (pool.undo !== null) return pool.undo;
  const undo: PoolUndo = { pool, before: pool.scalars(), ticks: null, replaced: false };
  pool.undo = undo;
  block.pools.push(undo);
  return undo;
}

export function openNewPool(block: BlockUndo, pool: PoolState): void {
  const undo: PoolUndo = { pool, before: null, ticks: null, replaced: false };
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
