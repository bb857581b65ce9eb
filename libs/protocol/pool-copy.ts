import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from './blocks.js';
import type { PoolStateFact } from './facts.js';

/**
 * What `pools.<chain>.e<epoch>.f<foldVersion>` holds of one pool: its record and its whole state after the group `seq` of
 * the facts topic of the same name. It stays correct, because facts are only appended to; it may be old.
 */
export interface PoolCopy {
  seq: number;
  record: PoolRecord;
  /** `ticksComplete` wherever there are ticks. */
  state: PoolStateFact;
}

/**
 * How far the copies reach: every pool that exists after the group `seq` of facts has one that says what it is then or
 * later, and no other pool has one that is as old.
 */
export interface PoolCopyMark {
  seq: number;
  /** The chain's head after that group. */
  height: number;
  hash: Hex;
  /** Unix ms, the block's own time. */
  time: number;
}

export const POOL_MARK_KEY = '@';
