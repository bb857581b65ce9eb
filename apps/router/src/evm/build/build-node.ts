import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chains/evm/rpc/rpc-error.js';
import { RpcPool } from '#libs/chains/evm/rpc/rpc-pool.js';
import { TidepoolError } from '#libs/core/errors.js';
import { HttpProblem } from '#libs/http/problem.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
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

/** Where another node can take over, one that is slow is left after so long; a single one has the whole request's time. */
const EXCHANGE_MS = 3_000;
/** Longer than any request waits: whoever asks decides when a slow answer is too late. */
const TOTAL_MS = 30_000;
/** Every node is cooling down: only one that comes back this soon is waited for. */
const COLD_MS = 1_500;
/** So often a task may see that no node is left before it gives up; failures closer together count as one. */
const STRIKES = 2;
const STRIKE_MS = 100;

export class BuildNode {
  private readonly pool: RpcPool;
  private readonly closing = new AbortController();
  /** Of every task under way: told when each node is cooling down. */
  private readonly strikes = new Set<() => void>();
  private lastStrike = 0;

  constructor(private readonly options: BuildNodeOptions) {
    const { chain, rpcUrls, logger } = options;
    this.pool = new RpcPool({
      urls: rpcUrls,
      chainId: chain.chainId!,
      timeoutMs: options.exchangeMs ?? (rpcUrls.length > 1 ? EXCHANGE_MS : TOTAL_MS),
      maxResponseBytes: 8 * 1024 * 1024,
      rateLimitRetries: 1,
      coolDownMs: 250,
      maxCoolDownMs: 2_000,
      onError: ({ kind, message }) => {
        logger.warn({ chain: chain.slug, kind }, `build: ${message}`);
        // The pool sends the node into its cool-down only after this.
        queueMicrotask(() => this.strike());
      },
    });
  }

  private strike(): void {
    if (this.pool.preferred() !== null || Date.now() - this.lastStrike < STRIKE_MS) return;
    this.lastStrike = Date.now();
    for (const strike of [...this.strikes]) strike();
  }

  async use<T>(task: (endpoint: RpcEndpoint, signal: AbortSignal) => Promise<T>, caller: AbortSignal): Promise<T> {
    const totalMs = this.pool.preferred() === null ? COLD_MS : (this.options.totalMs ?? TOTAL_MS);
    const givingUp = new AbortController();
    let strikes = 0;
    let running = false;
    const strike = (): void => {
      // A task that is being carried out is not ended by the failure of another.
      if (!running && ++strikes === STRIKES) givingUp.abort();
    };
    const work = async (endpoint: RpcEndpoint): Promise<T> => {
      running = true;
      try {
        return await task(endpoint, signal);
      } finally {
        running = false;
      }
    };
    const timeout = AbortSignal.timeout(totalMs);
    const signal = AbortSignal.any([caller, this.closing.signal, givingUp.signal, timeout]);
    this.strikes.add(strike);
    try {
      return await this.pool.use(work, signal);
    } catch (error) {
      if (caller.aborted) throw caller.reason;
      const ofNodes = error instanceof RpcError || (error instanceof TidepoolError && error.code === 'wrong_chain');
      if (ofNodes) this.options.logger.warn({ chain: this.options.chain.slug }, `build: ${(error as Error).message}`);
      throw signal.aborted || ofNodes ? this.away() : error;
    } finally {
      this.strikes.delete(strike);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.pool.close();
  }

  private away(): HttpProblem {
    const { slug } = this.options.chain;
    return new HttpProblem(503, 'rpc', `no node of ${slug} answered; try again`, { 'retry-after': '1' });
  }
}
