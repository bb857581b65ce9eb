import type { BlockRef, PublishedChain } from '#libs/chain/chains/source-port.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { RecentAnswer } from '../recent-answers.js';
import type { ReadBlock } from './block-reader.js';
import type { RawSolanaBlock } from './raw-block.js';

/** The places of blocks in the chain, and raw blocks from the answers of nodes. */

export const answerOf = ({ block, node, digest }: ReadBlock): RecentAnswer => ({ height: block.slot, node, digest });

/** The newest published block below a slot. */
export async function blockBelow(published: PublishedChain, slot: number): Promise<BlockRef> {
  for (let height = slot - 1; height >= -1; height--) {
    const found = await published.refAt(height);
    if (found !== null) return found;
  }
  throw new TidepoolError('no_block_below', `no block is published below slot ${slot}`);
}

/** A block that continues `before`; one without a time of its own has that of the block before. */
export function rawBlock(
  { block }: ReadBlock,
  source: RawSolanaBlock['source'],
  before: BlockRef,
  observedAt: number,
  proof: RawSolanaBlock['proof'],
): RawSolanaBlock {
  const { slot, parentSlot, hash, parentHash, time, transactions, incomplete } = block;
  const place = { slot, parentSlot, hash, parentHash, time: time ?? before.time };
  return { ...place, source, observedAt, transactions, proof, ...(incomplete && { incomplete }) };
}

export const refAfter = ({ block }: ReadBlock, before: BlockRef): BlockRef => {
  const { slot: height, hash, parentHash, time } = block;
  return { height, hash, parentHash, time: time ?? before.time };
};

export const ref = ({ slot, hash, parentHash, time }: RawSolanaBlock): BlockRef => ({
  height: slot,
  hash,
  parentHash,
  time,
});
