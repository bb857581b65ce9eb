import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';

/** Why a node has nothing at a height: it has not come to it, or does not have it any more. */
export async function missingBlock(
  endpoint: RpcEndpoint,
  height: number,
  what: string,
  signal: AbortSignal,
): Promise<RpcError> {
  const head = Number(await endpoint.call<string>('eth_blockNumber', [], signal));
  return head >= height
    ? endpoint.error('pruned', `no ${what} at height ${height}`)
    : endpoint.error('head-not-reached', `its head ${head} is below block ${height}`);
}
