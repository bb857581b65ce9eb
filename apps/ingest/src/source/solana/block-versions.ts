import type { BlockDigest } from '#libs/chain/chains/solana/rpc/block-digest.js';
import type { SignedHeader } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { ReadBlock } from './block-reader.js';

/** What several nodes answer for one block, held against each other. */

/** A block in the words of some nodes. */
export interface Version {
  readonly digest: BlockDigest;
  readonly parentSlot: number;
  readonly count: number;
  readonly fits: boolean;
  readonly nodes: number[];
}

/** Which of several versions of a block holds; null where nothing decides. */
export function decide(versions: readonly Version[]): Version | null {
  const told = versions.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const most = versions.find(({ nodes }) => 2 * nodes.length > told);
  if (most !== undefined) return most;
  const [best, next] = [...versions].sort(
    (a, b) => b.parentSlot - a.parentSlot || b.count - a.count || Number(b.fits) - Number(a.fits),
  );
  const tied = best!.fits === next!.fits && best!.parentSlot === next!.parentSlot && best!.count === next!.count;
  return tied ? null : best!;
}

/** Whether another node's list of signatures is that of a block whose votes were not read. */
export function sameTransactions({ block }: ReadBlock, { signatures, parentSlot, parentHash }: SignedHeader): boolean {
  if (parentSlot !== block.parentSlot || parentHash !== block.parentHash) return false;
  if (signatures.length !== block.count) return false;
  return block.transactions.every(({ index, tx }) => signatures[index] === tx.signature);
}
