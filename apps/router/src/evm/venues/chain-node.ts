import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { RpcPool } from '#libs/chains/evm/rpc/rpc-pool.js';
import { TidepoolError } from '#libs/core/errors.js';

/** No node carried a question through in time. The message names nodes by their number, never by their URL. */
export class NodeAwayError extends TidepoolError {
  constructor(reason: string) {
    super('node_away', reason);
  }
}

export interface ChainNodeOptions {
  chainId: number;
  /** In order of preference; only http(s) URLs are used. */
  rpcUrls: readonly string[];
}

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_COOL_DOWN_MS = 5_000;

/**
 * The nodes of one chain for questions beside the indexing: verification, gas, second opinions. Invariant: every question
 * has an end; when it comes without an answer, that is a NodeAwayError.
 */
export class ChainNode {
  private pool: RpcPool | null = null;
  private closed = false;
  private readonly urls: readonly string[];

  constructor(private readonly options: ChainNodeOptions) {
    this.urls = options.rpcUrls.filter((url) => /^https?:/i.test(url));
  }

  async ask<T>(task: (endpoint: RpcEndpoint) => Promise<T>, deadlineMs: number, signal?: AbortSignal): Promise<T> {
    if (this.closed) throw new NodeAwayError('the connection to the nodes is closed');
    if (this.urls.length === 0) throw new NodeAwayError('no HTTP RPC endpoint is configured');
    const pool = this.open();
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await pool.use(task, signal ? AbortSignal.any([signal, deadline]) : deadline);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (deadline.aborted) throw new NodeAwayError(this.problems(pool));
      if (error instanceof TidepoolError && error.code === 'wrong_chain') {
        // A pool never asks such a node again; the next question starts with a new one.
        if (this.pool === pool) this.pool = null;
        await pool.close();
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const pool = this.pool;
    this.pool = null;
    await pool?.close();
  }

  private open(): RpcPool {
    this.pool ??= new RpcPool({
      urls: this.urls,
      chainId: this.options.chainId,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxResponseBytes: 8 * 1024 * 1024,
      maxConcurrency: 8,
      rateLimitRetries: 2,
      coolDownMs: 250,
      maxCoolDownMs: MAX_COOL_DOWN_MS,
    });
    return this.pool;
  }

  private problems(pool: RpcPool): string {
    const known = pool.endpoints.map((endpoint) => pool.problemOf(endpoint)?.message ?? endpoint.disabled);
    const words = known.filter((problem) => problem !== null);
    return words.length === 0 ? 'no node answered in time' : `no node answered: ${words.join('; ')}`;
  }
}
