import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { type BlockRef, EpochBrokenError, type PublishedChain } from '#libs/chain/chains/source-port.js';
import { fetchHeader, fetchHeaders, type Tip } from './block-fetch.js';
import { checkLink, type Header } from './raw-block.js';

/** How the chain continues from the published one. */
export interface EvmBranch {
  /** Newest published block that is still on the chain: below the published head after a reorganization. */
  readonly ancestor: BlockRef;
  /** Blocks above the ancestor up to the tip, ascending. */
  readonly headers: readonly Header[];
}

const BATCH = 64;

/**
 * The branch from the published chain to the node's tip, by hashes alone, or null when there is nothing new: a tip that
 * is one of the published blocks is a node that lags behind, however low it is. Walks back to the common ancestor, below
 * finality too; a chain without one needs a new epoch.
 */
export async function findEvmBranch(
  endpoint: RpcEndpoint,
  published: PublishedChain,
  tip: Tip,
  signal: AbortSignal,
): Promise<EvmBranch | null> {
  const { latest } = tip;
  const { head } = published;
  if (latest.height <= head.height) {
    const own = await published.refAt(latest.height);
    if (own?.hash === latest.hash) return null;
    // Lower than anything published: nothing was contradicted, the node is only far behind.
    if (own === null || own.hash === '') return null;
  }
  const between = await headersByHash(endpoint, head.height + 1, latest.height - 1, signal);
  const path: Header[] = [latest];
  for (;;) {
    const lowest = path.at(-1)!;
    const below = lowest.height - 1;
    if (below <= head.height) {
      const own = await published.refAt(below);
      if (own === null) throw new EpochBrokenError(`the chain leaves the published one below block ${lowest.height}`);
      if (own.hash === lowest.parentHash || isUnhashedBase(own, published))
        return { ancestor: own, headers: path.reverse() };
    }
    const parent = between.get(lowest.parentHash) ?? (await fetchHeader(endpoint, lowest.parentHash, signal));
    if (parent.height !== below)
      throw endpoint.error('inconsistent-response', `the parent of block ${lowest.height} has another height`);
    path.push(parent);
  }
}

async function headersByHash(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Map<string, Header>> {
  if (to < from) return new Map();
  const heights = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const headers = await fetchHeaders(endpoint, heights, signal);
  return new Map(headers.flatMap((header) => (header ? [[header.hash, header] as const] : [])));
}

/**
 * The newest published block that the node has at its height, found by height in batches: for a log that is far behind
 * the tip. Null when the node does not reach that high. Invariant: the block that the node has above it names it as its
 * parent. A node that keeps a block which the chain has left behind contradicts itself there.
 */
export async function findAncestor(
  endpoint: RpcEndpoint,
  published: PublishedChain,
  signal: AbortSignal,
): Promise<BlockRef | null> {
  for (let top = published.head.height; ; top -= BATCH) {
    const own: BlockRef[] = [];
    for (let height = top; height > top - BATCH; height--) {
      const ref = await published.refAt(height);
      if (ref === null) break;
      own.push(ref);
    }
    if (own.length === 0)
      throw new EpochBrokenError(`the chain shares no block with the published one from ${top} down`);
    const asked = own.filter((ref) => ref.height >= 0).map((ref) => ref.height);
    const [next, ...headers] = await fetchHeaders(endpoint, [top + 1, ...asked], signal);
    for (const [n, ref] of own.entries()) {
      if (isUnhashedBase(ref, published)) return ref;
      const header = headers[n] ?? null;
      if (header === null && n === 0 && top === published.head.height) return null;
      if (header?.hash !== ref.hash) continue;
      const above = n === 0 ? next : headers[n - 1];
      if (above) checkLink(endpoint, above, header);
      return ref;
    }
  }
}

/**
 * The base of a chain that is kept from its genesis block on has no hash to compare. It is an ancestor only while nothing
 * is published: after that, reaching it means that the genesis block itself is another one.
 */
function isUnhashedBase(ref: BlockRef, published: PublishedChain): boolean {
  if (ref.hash !== '') return false;
  if (published.head.height > ref.height) throw new EpochBrokenError('the genesis block changed');
  return true;
}
