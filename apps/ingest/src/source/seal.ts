import type { FinalityRule } from '#libs/chain/chains/chain-manifest.js';
import type { BlockRef, PublishedChain, SourceItem } from '#libs/chain/chains/source-port.js';
import { countUpTo, refOf } from './heights.js';

export interface SealInput {
  rule: FinalityRule;
  published: Pick<PublishedChain, 'sealedHeight' | 'finalizedHeight' | 'unsealed' | 'head'>;
  /** Blocks that go before the seal in the same batch. */
  fresh: readonly BlockRef[];
  /** Newest block of the chain: the window ends there, also while the log is far behind. */
  tip: BlockRef;
  /** The node's own finality; null when it does not say. */
  finalizedHeight: number | null;
  /** Seals are at least this many heights apart. */
  stride: number;
}

/**
 * The finalize item that is due, or null. Sealed is the newer of the chain's own finality and the window behind the head,
 * never above what is published and never lower than before.
 */
export function dueSeal({ rule, published, fresh, tip, finalizedHeight, stride }: SealInput): SourceItem | null {
  const head = fresh.at(-1) ?? published.head;
  const own = finalityOf(rule, tip, finalizedHeight);
  const finalized = Math.max(Math.min(own, head.height), Math.min(published.finalizedHeight, head.height));
  const windowEnd = tip.time - rule.tailWindowSeconds * 1000;
  const blocks = [...published.unsealed, ...fresh];
  let sealed = finalized;
  for (let i = blocks.length - 1; i >= 0; i--) {
    if (blocks[i]!.time > windowEnd) continue;
    sealed = Math.max(sealed, blocks[i]!.height);
    break;
  }
  const block = blocks[countUpTo(blocks, sealed) - 1];
  if (!block || block.height < published.sealedHeight + Math.max(1, stride)) return null;
  // What is final may be a slot without a block: then it is the block before it.
  return { kind: 'finalize', block: refOf(block), finalizedHeight: Math.min(finalized, block.height) };
}

function finalityOf(rule: FinalityRule, tip: BlockRef, finalizedHeight: number | null): number {
  if (rule.source === 'finalized-tag') return finalizedHeight ?? -1;
  return tip.height - rule.source.confirmations;
}
