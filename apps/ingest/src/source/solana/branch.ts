import { isMissing, type SolanaEndpoint, type Tips } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { NodeHeader } from '#libs/chain/chains/solana/rpc/node-block.js';
import { type BlockRef, EpochBrokenError, type PublishedChain } from '#libs/chain/chains/source-port.js';
import type { ReadBlock, ReadOne } from './block-reader.js';

/** How the chain continues from the published one, in the words of one node. */
export interface SolanaBranch {
  /** Newest published block that is still on the chain: below the published head after a reorganization. */
  readonly ancestor: BlockRef;
  /** The block after the ancestor. */
  readonly first: ReadBlock;
  /** Slots of the blocks after it that were looked at, ascending. */
  readonly slots: readonly number[];
}

export interface BranchSearch {
  readonly published: PublishedChain;
  readonly tips: Tips;
  /** Slots that are listed with one question. */
  readonly maxSlots: number;
  readonly read: ReadOne;
  readonly signal: AbortSignal;
}

/**
 * The branch from the published chain to the node's tip, or null when there is nothing new. A tip at or below the
 * published head is a node that lags behind until it shows another block there. Walks back by parent slot and hash to the
 * common ancestor, below finality too; a chain without one needs a new epoch. Throws `unknown-block` when the branch
 * changed while it was walked, and `lie` when the node contradicts itself.
 */
export async function findSolanaBranch(
  endpoint: SolanaEndpoint,
  { published, tips: { confirmed: tip, finalized }, maxSlots, read, signal }: BranchSearch,
): Promise<SolanaBranch | null> {
  const { head } = published;
  const from: BranchStart = { endpoint, read, published, final: finalized ?? -1 };
  if (tip <= head.height) {
    const lowest = await otherBlock(endpoint, published, tip, signal);
    return lowest && walkBack(from, lowest, null, [], signal);
  }
  const slots = await newSlots(endpoint, head.height + 1, tip, maxSlots, signal);
  if (slots.length === 0) {
    if (tip - head.height <= LONGEST_SILENCE) return null;
    throw endpoint.error('pruned', `lists no slots above ${head.height}, though it is at ${tip}`);
  }
  const first = await kept(from, slots[0]!, 'it lists', () => read(endpoint, slots[0]!));
  const { parentSlot } = first.block;
  // A node that has dropped its lists gives empty ones.
  if (parentSlot > head.height && slots[0]! - head.height > LONGEST_SILENCE)
    throw endpoint.error('pruned', `lists no block in slot ${parentSlot}, which block ${slots[0]} names as its parent`);
  return walkBack(from, first.block, first, slots.slice(1), signal);
}

interface BranchStart {
  readonly endpoint: SolanaEndpoint;
  readonly read: ReadOne;
  readonly published: PublishedChain;
  /** Newest slot that the node calls final. */
  readonly final: number;
}

/** What is final is not replaced: a node that names such a slot and has no block in it has dropped the block. */
async function kept<T>(
  { endpoint, final }: BranchStart,
  slot: number,
  named: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isMissing(error) || error.kind !== 'unknown-block' || slot > final) throw error;
    throw endpoint.error('pruned', `has no block in slot ${slot}, which ${named} and calls final`);
  }
}

/** So many slots without a block are usual: leaders that were away. */
const LONGEST_SILENCE = 64;

/** Whether a block goes right after a published one. */
export function follows({ slot, parentSlot, parentHash }: NodeHeader, before: BlockRef): boolean {
  // The very first block of a chain names itself as its parent.
  if (before.hash === '') return slot === 0;
  return slot > before.height && parentSlot === before.height && parentHash === before.hash;
}

/** The block in which the node contradicts the published chain; null when it shows none. */
async function otherBlock(
  endpoint: SolanaEndpoint,
  published: PublishedChain,
  tip: number,
  signal: AbortSignal,
): Promise<NodeHeader | null> {
  // Lower than anything published: nothing is contradicted, the node is only far behind.
  if (tip < published.reference.startHeight) return null;
  try {
    const header = await endpoint.header(tip, signal);
    return (await published.refAt(tip))?.hash === header.hash ? null : header;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Slots with blocks from one on: at most so many slots are looked at, and the next block behind a longer silence. */
async function newSlots(
  endpoint: SolanaEndpoint,
  from: number,
  tip: number,
  maxSlots: number,
  signal: AbortSignal,
): Promise<number[]> {
  const to = Math.min(tip, from + maxSlots - 1);
  const slots = await endpoint.blocksIn(from, to, signal);
  if (slots.length > 0 || to === tip) return slots;
  const next = await endpoint.blockFrom(to + 1, signal);
  return next === null ? [] : [next];
}

async function walkBack(
  from: BranchStart,
  newest: NodeHeader,
  fetched: ReadBlock | null,
  above: readonly number[],
  signal: AbortSignal,
): Promise<SolanaBranch> {
  const { endpoint, read, published } = from;
  const path: NodeHeader[] = [newest];
  for (;;) {
    const lowest = path.at(-1)!;
    const own = lowest.slot === 0 ? genesisBase(published) : await published.refAt(lowest.parentSlot);
    if (own && follows(lowest, own)) {
      const walked = path.slice(0, -1).map(({ slot }) => slot);
      const slots = [...walked.reverse(), ...above];
      if (fetched?.block === lowest) return { ancestor: own, first: fetched, slots };
      const first = await read(endpoint, lowest.slot);
      if (!sameBlock(first.block, lowest)) throw changed(endpoint, lowest);
      return { ancestor: own, first, slots };
    }
    if (lowest.parentSlot < published.reference.startHeight) {
      throw new EpochBrokenError(`the chain leaves the published one below slot ${lowest.slot}`);
    }
    path.push(await parentOf(from, lowest, signal));
  }
}

async function parentOf(from: BranchStart, child: NodeHeader, signal: AbortSignal): Promise<NodeHeader> {
  const { endpoint } = from;
  const { slot, parentSlot } = child;
  const named = `it names as the parent of block ${slot}`;
  const parent = await kept(from, parentSlot, named, () => endpoint.header(parentSlot, signal));
  if (parent.hash === child.parentHash) return parent;
  // While the child is still what it was, its parent cannot have been another one meanwhile.
  const again = await endpoint.header(child.slot, signal);
  if (sameBlock(again, child))
    throw endpoint.error('inconsistent-response', `the parent of block ${child.slot} has another hash`);
  throw changed(endpoint, child);
}

/** The base of a chain that is kept from its first block on; while nothing is published, that block may follow it. */
function genesisBase({ head }: PublishedChain): BlockRef {
  if (head.hash !== '') throw new EpochBrokenError('the first block of the chain changed');
  return head;
}

const sameBlock = (a: NodeHeader, b: NodeHeader): boolean =>
  a.hash === b.hash && a.parentHash === b.parentHash && a.parentSlot === b.parentSlot;

const changed = (endpoint: SolanaEndpoint, { slot }: NodeHeader): Error =>
  endpoint.error('unknown-block', `block ${slot} was replaced while its branch was read`);
