import type { BlockRef } from '#libs/chain/chains/source-port.js';

/**
 * Places in a list of blocks by height. Heights ascend and may leave some out: a slot without a block is no block.
 */
export interface Placed {
  readonly height: number;
}

/** How many blocks are at or below a height, which is also the place of the first one above it. */
export function countUpTo(blocks: readonly Placed[], height: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.height <= height) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function blockAt<T extends Placed>(blocks: readonly T[], height: number): T | null {
  const block = blocks[countUpTo(blocks, height) - 1];
  return block?.height === height ? block : null;
}

/** The place of a block alone, of something that holds more. */
export const refOf = ({ height, hash, parentHash, time }: BlockRef): BlockRef => ({ height, hash, parentHash, time });
