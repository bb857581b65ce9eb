import { NodePool, type NodePoolOptions } from '../../rpc/node-pool.js';
import { RpcEndpoint } from './endpoint.js';

export interface RpcPoolOptions extends NodePoolOptions<RpcEndpoint> {
  chainId: number;
  /** Whether a header must hash to its block's hash; absent: it must. */
  hashesHeaders?: boolean;
}

/** The nodes of one EVM chain: one that serves another chain id is not used. */
export class RpcPool extends NodePool<RpcEndpoint> {
  private readonly chainId: number;

  constructor(options: RpcPoolOptions) {
    super(options, (index, url, dispatcher, each) => {
      const endpoint = new RpcEndpoint(index, url, dispatcher, each);
      endpoint.hashesHeaders = options.hashesHeaders ?? true;
      return endpoint;
    });
    this.chainId = options.chainId;
  }

  protected askSmall(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<unknown> {
    return endpoint.call('eth_blockNumber', [], signal);
  }

  protected async verify(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<void> {
    const chainId = Number(await endpoint.call<string>('eth_chainId', [], signal));
    if (chainId !== this.chainId) {
      endpoint.disabled = `${endpoint.label} serves chain id ${chainId} instead of ${this.chainId}`;
      throw endpoint.error('inconsistent-response', `serves chain id ${chainId} instead of ${this.chainId}`);
    }
    endpoint.verified = true;
  }
}
