import type { ChainSpec } from '#libs/chains/chain-spec.js';
import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chains/evm/rpc/rpc-error.js';
import { RpcPool } from '#libs/chains/evm/rpc/rpc-pool.js';
import { TidepoolError } from '#libs/core/errors.js';
import { HttpProblem } from '#libs/http/problem.js';
import type { Logger } from '#libs/platform/logger.js';

/**
 * The chain's nodes for work that somebody waits for. Invariant: a task ends in time, whole on one node; a node that fails
 * or hangs costs one attempt and the next node gets the task from its start; where none carries it through, the answer is
 * 503 `rpc`. What the caller aborts ends with the caller's own reason.
 */
export interface BuildNodeOptions {
  readonly chain: ChainSpec;
  readonly rpcUrls: readonly string[];
  readonly logger: Logger;
  /** How long one node may take for one exchange. */
  readonly exchangeMs?: number;
  /** How long all attempts together may take. */
  readonly totalMs?: number;
}

const EXCHANGE_MS = 3_000;
const TOTAL_MS = 9_000;
/** Every node is cooling down: only one that comes back this soon is waited for. */
const COLD_MS = 1_500;
const ROUNDS = 2;

export class BuildNode {
  private readonly pool: RpcPool;
  private readonly closing = new AbortController();

  constructor(private readonly options: BuildNodeOptions) {
    const { chain, rpcUrls, logger } = options;
    this.pool = new RpcPool({
      urls: rpcUrls,
      chainId: chain.chainId!,
      timeoutMs: options.exchangeMs ?? EXCHANGE_MS,
      maxResponseBytes: 8 * 1024 * 1024,
      rateLimitRetries: 1,
      coolDownMs: 250,
      maxCoolDownMs: 2_000,
      onError: ({ kind, message }) => logger.warn({ chain: chain.slug, kind }, `build: ${message}`),
    });
  }

  async use<T>(task: (endpoint: RpcEndpoint, signal: AbortSignal) => Promise<T>, caller: AbortSignal): Promise<T> {
    const attempts = this.pool.endpoints.length * ROUNDS;
    const totalMs = this.pool.preferred() === null ? COLD_MS : (this.options.totalMs ?? TOTAL_MS);
    const signal = AbortSignal.any([caller, this.closing.signal, AbortSignal.timeout(totalMs)]);
    let attempt = 0;
    try {
      return await this.pool.use((endpoint) => {
        if (++attempt > attempts) throw this.away();
        return task(endpoint, signal);
      }, signal);
    } catch (error) {
      if (caller.aborted) throw caller.reason;
      const ofNodes = error instanceof RpcError || (error instanceof TidepoolError && error.code === 'wrong_chain');
      if (ofNodes) this.options.logger.warn({ chain: this.options.chain.slug }, `build: ${(error as Error).message}`);
      throw signal.aborted || ofNodes ? this.away() : error;
    }
  }

  async close(): Promise<void> {
    this.closing.abort(new HttpProblem(503, 'rpc', 'the router is stopping'));
    await this.pool.close();
  }

  private away(): HttpProblem {
    const { slug } = this.options.chain;
    return new HttpProblem(503, 'rpc', `no node of ${slug} answered; try again`, { 'retry-after': '1' });
  }
}
