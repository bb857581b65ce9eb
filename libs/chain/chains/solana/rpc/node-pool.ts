import { NodePool, type NodePoolOptions } from '../../rpc/node-pool.js';
import { isMissing, SolanaEndpoint } from './endpoint.js';
import { KnownOutcomes } from './known-outcomes.js';

export type SolanaPoolOptions = NodePoolOptions<SolanaEndpoint>;

/** The nodes of one Solana chain. Which chain that is, the reader of the log compares by the genesis hash. */
export class SolanaPool extends NodePool<SolanaEndpoint> {
  constructor(options: SolanaPoolOptions) {
    const outcomes = new KnownOutcomes(options.urls.length);
    super(options, (index, url, dispatcher, each) => new SolanaEndpoint(index, url, dispatcher, each, outcomes));
  }

  /**
   * Runs a task about blocks that exist: nodes hold different parts of the chain, so that one that lacks a block is passed
   * over, and only when all of them lack it the task fails.
   */
  async useAny<T>(task: (endpoint: SolanaEndpoint) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lacking = new Set<SolanaEndpoint>();
    return this.use(async (endpoint) => {
      try {
        return await task(endpoint);
      } catch (error) {
        if (!isMissing(error)) throw error;
        lacking.add(endpoint);
        const usable = this.endpoints.filter(({ disabled }) => disabled === null);
        if (usable.every((candidate) => lacking.has(candidate))) throw error;
        throw endpoint.error('server', `lacks a block: ${error.message}`);
      }
    }, signal);
  }

  protected async verify(endpoint: SolanaEndpoint): Promise<void> {
    endpoint.verified = true;
  }
}
