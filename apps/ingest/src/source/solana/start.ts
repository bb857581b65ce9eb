import { isMissing, type SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { NodeHeader } from '#libs/chain/chains/solana/rpc/node-block.js';
import type { EpochStart } from '#libs/chain/chains/source-port.js';

/**
 * Where a new epoch starts: its first block is the first one at or above the wished slot, which may be a skipped one; its
 * base is that block's parent. Without a wish it starts some slots behind the head, or where the node's blocks begin.
 */
export async function findStart(
  endpoint: SolanaEndpoint,
  wished: number | undefined,
  slotsBehind: number,
  signal: AbortSignal,
): Promise<EpochStart> {
  const genesisHash = await endpoint.genesisHash(signal);
  const tip = await endpoint.confirmedSlot(signal);
  const oldest = wished === undefined ? await endpoint.firstAvailable(signal) : 0;
  const startHeight = wished ?? Math.max(oldest, tip - slotsBehind, 0);
  const slot = startHeight > tip ? null : await endpoint.blockFrom(startHeight, signal);
  if (slot === null) throw endpoint.error('server', `its head ${tip} is below the start slot ${startHeight}`);
  const first = await endpoint.header(slot, signal);
  if (slot === 0)
    return { genesisHash, startHeight: 0, base: { height: -1, hash: '', parentHash: '', time: first.time ?? 0 } };
  if (first.parentSlot >= startHeight)
    throw endpoint.error('pruned', `its blocks begin above the start slot ${startHeight}`);
  const parent = await parentOf(endpoint, first, signal);
  const base = {
    height: first.parentSlot,
    hash: first.parentHash,
    parentHash: parent?.parentHash ?? '',
    time: parent?.time ?? first.time ?? 0,
  };
  return { genesisHash, startHeight, base };
}

/** Null where the node's blocks begin with this one: what it says of its parent is enough. */
async function parentOf(endpoint: SolanaEndpoint, first: NodeHeader, signal: AbortSignal): Promise<NodeHeader | null> {
  try {
    const parent = await endpoint.header(first.parentSlot, signal);
    if (parent.hash !== first.parentHash) {
      throw endpoint.error('server', `block ${first.slot} was replaced while the start was looked for`);
    }
    return parent;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
