import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { type NodePools, SHARED_COOL_DOWN } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { isHttp } from '../source/nodes.js';
import type { ProbeNodes } from './safety-stage.js';

/** The nodes that the chain's other stages ask, and what is known of them. */
export function openProbeNodes(chain: ChainSpec, rpcUrls: readonly string[], nodePools: NodePools): ProbeNodes {
  const urls = rpcUrls.filter(isHttp);
  const nodes = nodePools.of(chain.slug, urls);
  return new RpcPool({ urls, nodes, chainId: chain.chainId!, maxConcurrency: 2, ...SHARED_COOL_DOWN });
}
