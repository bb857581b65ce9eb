import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { ChainNodes, type ChainNodesOptions } from '../nodes/chain-nodes.js';

export type EvmNodes = ChainNodes<RpcEndpoint>;

/** Opens the client of an EVM chain's nodes; it uses no node that serves another chain id. */
export const openEvmNodes = (
  { slug, chainId }: ChainSpec,
  options: Omit<ChainNodesOptions<RpcEndpoint>, 'chain' | 'open'>,
): EvmNodes =>
  new ChainNodes<RpcEndpoint>({
    ...options,
    chain: slug,
    open: (pool) => new RpcPool({ ...pool, chainId: chainId! }),
  });
