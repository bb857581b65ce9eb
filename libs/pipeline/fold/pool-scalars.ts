import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { SetApart } from '#libs/protocol/facts.js';
import { type ShownAmounts, sameShown } from './shown-amounts.js';

/** What facts say of a pool. */
export interface StatedScalars {
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  anchored: boolean;
  /** Why its numbers cannot be; null where they can. */
  setApart: SetApart | null;
}

/** The part of a pool's state that is replaced as a whole. */
export interface PoolScalars extends StatedScalars {
  /** What trades have shown of a pool whose ranges are not known; null: nothing, and of every other pool. */
  shown: ShownAmounts | null;
  /** Of a pool whose chain states vaults: whether its ticks are known, all of them. */
  rangesKnown: boolean;
}

/** A pool as the keyed state has it: all but its ticks. */
export interface SavedPool extends PoolScalars {
  readonly record: PoolRecord;
}

export const sameScalars = (a: PoolScalars, b: PoolScalars): boolean =>
  sameStated(a, b) && a.rangesKnown === b.rangesKnown && sameShown(a.shown, b.shown);

export function sameStated(a: StatedScalars, b: StatedScalars): boolean {
  return (
    a.reserve0 === b.reserve0 &&
    a.reserve1 === b.reserve1 &&
    a.sqrtPriceX96 === b.sqrtPriceX96 &&
    a.tick === b.tick &&
    a.liquidity === b.liquidity &&
    a.anchored === b.anchored &&
    a.setApart === b.setApart
  );
}

export const NOTHING_KNOWN: PoolScalars = {
  reserve0: 0n,
  reserve1: 0n,
  sqrtPriceX96: 0n,
  tick: 0,
  liquidity: 0n,
  anchored: false,
  setApart: null,
  shown: null,
  rangesKnown: false,
};
