import type { BlockParameter } from '#libs/chain/chains/evm/contract-reader.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { ChainSpec, VenueContracts } from '#libs/chain/market-ports/chain-spec.js';
import type { SwapPath } from '#libs/chain/market-ports/evm/swap-routing.js';
import { TidepoolError } from '#libs/core/errors.js';
import { type QuotedRoute, tokensOf } from '../model/evm-quote.js';
import { codeBytesOf } from './code-reader.js';

/** A chain of pools of one venue: what its own contracts are asked about. */
export interface RoutePath extends SwapPath {
  readonly venue: string;
}

export const pathOf = (route: QuotedRoute): RoutePath => ({
  venue: route.venue,
  tokens: tokensOf(route),
  fees: route.hops.map(({ pool }) => pool.feePpm),
});

export function contractsOf(chain: ChainSpec, venue: string): VenueContracts {
  const contracts = chain.venues.find((candidate) => candidate.venue === venue)?.contracts ?? null;
  if (contracts === null) throw new TidepoolError('not_routed', `${venue} has no contracts on ${chain.slug}`);
  return contracts;
}

/**
 * Asks the chain what a path gives at a block; null when its contract reverts. Throws when this node cannot answer (the
 * block is gone, or its state is pruned).
 */
export async function askQuoter(
  endpoint: RpcEndpoint,
  chain: ChainSpec,
  path: RoutePath,
  amountIn: bigint,
  block: BlockParameter,
  signal?: AbortSignal,
): Promise<bigint | null> {
  const contracts = contractsOf(chain, path.venue);
  const { to, data } = contracts.swaps.quoteCall(contracts, path, amountIn);
  try {
    const call = [{ to: `0x${to}`, data: `0x${data}` }, block];
    const answer = await endpoint.call<unknown>('eth_call', call, signal);
    const quote = contracts.swaps.readQuote(codeBytesOf(endpoint, answer), path);
    if (quote === null) throw endpoint.error('invalid', 'a quote that is none');
    return quote;
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'reverted') return null;
    throw error;
  }
}
