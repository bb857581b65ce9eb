import type { Hex } from '#libs/core/ids.js';

/**
 * Envelope of every group in a sequenced topic (`blocks.*`, `facts.*`).
 * `seq` counts groups, is gapless per chain and epoch and starts at 0 with the epoch group.
 * Broker offsets are hints; only `seq` orders.
 */
export interface Envelope {
  chain: string;
  epoch: number;
  seq: number;
  /**
   * block: the block itself. retract: the new head (last surviving block). finalize: the sealed block.
   * epoch: height and hash of the block before the first one (hash may be empty).
   * A height is the block number on EVM and the slot on Solana, where slots without a block are left out: heights ascend,
   * and the parent hash links a block to the one before.
   */
  height: number;
  hash: Hex;
  parentHash: Hex;
  /** Unix ms: the block's own time. Windows use it, never the wall clock. */
  time: number;
}

export type GroupKind = 'epoch' | 'block' | 'retract' | 'finalize';
