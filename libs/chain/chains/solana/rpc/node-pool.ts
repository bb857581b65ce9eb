import type { Need } from '../../rpc/node-lacks.js';
import { NodePool, type NodePoolOptions, NotHere } from '../../rpc/node-pool.js';
import { RpcError } from '../../rpc/rpc-error.js';
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
  async useAny<T>(
    task: (endpoint: SolanaEndpoint) => Promise<T>,
    signal?: AbortSignal,
    /** With a slot: nodes that dropped it are not asked for it again. */
    need: Need = { what: 'blocks' },
  ): Promise<T> {
    const dropped = (endpoint: SolanaEndpoint): boolean => this.isLacking(endpoint, need);
    try {
      return await this.use(async (endpoint) => {
        if (dropped(endpoint) && this.usable.some((other) => !dropped(other)))
          throw new NotHere(endpoint.error('pruned', `has no ${need.what} as old as slot ${need.height}`));
        try {
          return await task(endpoint);
        } catch (error) {
          if (error instanceof RpcError && error.saysLack) this.learn(endpoint, error, need);
          if (!isMissing(error)) throw error;
          throw new NotHere(error);
        }
      }, signal);
    } catch (error) {
      throw error instanceof NotHere ? error.reason : error;
    }
  }

  protected askSmall(endpoint: SolanaEndpoint, signal?: AbortSignal): Promise<unknown> {
    return endpoint.confirmedSlot(signal);
  }

  protected async verify(endpoint: SolanaEndpoint): Promise<void> {
    endpoint.verified = true;
  }
}
