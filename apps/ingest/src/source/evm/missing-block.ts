import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';

/** Node programs keep at least so many of their newest blocks; a block among them that is missing has not come yet. */
const ALWAYS_KEPT = 64;

/**
 * Why a node has nothing at a height: it has not come to it, or does not have it any more. The node may reach the block
 * between its answer and this question, and behind a balancer another node may answer: of a block close to the head
 * nothing follows about the past.
 */
export async function missingBlock(
  endpoint: RpcEndpoint,
  height: number,
  what: 'block' | 'receipts',
  signal: AbortSignal,
): Promise<RpcError> {
  const head = Number(await endpoint.call<string>('eth_blockNumber', [], signal));
  if (head < height) return endpoint.error('head-not-reached', `its head ${head} is below block ${height}`);
  if (what === 'block' && head - height < ALWAYS_KEPT)
    return endpoint.error('head-not-reached', `it had no block ${height} a moment before its head was ${head}`);
  return endpoint.error('pruned', `no ${what} at height ${height}`);
}
