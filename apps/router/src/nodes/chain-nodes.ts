import type { JsonRpcEndpoint } from '#libs/chain/chains/rpc/endpoint.js';
import type { NodePool, NodePoolOptions } from '#libs/chain/chains/rpc/node-pool.js';
import { type NodePools, SHARED_COOL_DOWN } from '#libs/chain/chains/rpc/node-pools.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Logger } from '#libs/platform/logger.js';

/** No node completed a task in time. The message names nodes by their number, never by their URL. */
export class NodesUnavailableError extends TidepoolError {
  constructor(
    readonly chain: string,
    reason: string,
  ) {
    super('nodes_unavailable', reason);
  }
}

/**
 * The deadline of a task that belongs to a request. It is longer than any request waits: the caller decides when a slow
 * answer is too late.
 */
export const NODE_DEADLINE_MS = 30_000;

export interface ChainNodesOptions<E extends JsonRpcEndpoint> {
  /** Slug of the chain. */
  chain: string;
  /** In order of preference; only http(s) URLs are used. */
  urls: readonly string[];
  /** Opens the pool of the chain's family. */
  open: (options: NodePoolOptions<E>) => NodePool<E>;
  logger: Pick<Logger, 'warn'>;
  /** Of this process; null: nodes that nothing else here asks. */
  nodePools: NodePools | null;
  /** How long one node may take for one exchange. */
  exchangeMs?: number;
}

/** With several nodes a slow one is left after this time; a single one may use the whole deadline of its task. */
const EXCHANGE_MS = 3_000;
/** While every node is cooling down, a task waits only this long for one to come back. */
const COLD_MS = 1_500;
/** How often a task may see that no node is left before it gives up; failures closer together count as one. */
const STRIKES = 2;
const STRIKE_MS = 100;

/**
 * The nodes of one chain: the only client through which the router asks them, for builds, checks, gas and verification.
 * Invariant: a task ends by its deadline, whole on one node; a node that fails or hangs costs one attempt and the next
 * node gets the task from its start. What the caller aborts ends with the caller's own reason.
 */
export class ChainNodes<E extends JsonRpcEndpoint> {
  private pool: NodePool<E> | null = null;
  private readonly urls: readonly string[];
  private readonly closing = new AbortController();
  /** One for each running task: called when every node is cooling down. */
  private readonly strikes = new Set<() => void>();
  private lastStrike = Number.NEGATIVE_INFINITY;
  /** Failures that were logged since the nodes last answered. */
  private readonly logged = new Set<string>();

  constructor(private readonly options: ChainNodesOptions<E>) {
    this.urls = options.urls.filter((url) => /^https?:/i.test(url));
  }

  /** Runs a task until a node carried it through; NodesUnavailableError at the deadline. */
  async use<T>(
    task: (endpoint: E, signal: AbortSignal) => Promise<T>,
    deadlineMs: number,
    caller?: AbortSignal,
  ): Promise<T> {
    caller?.throwIfAborted();
    if (this.closing.signal.aborted) throw this.unavailable('the connection to the nodes is closed');
    if (this.urls.length === 0) throw this.unavailable('no HTTP RPC endpoint is configured');
    this.pool ??= this.open();
    const { pool } = this;
    const givingUp = new AbortController();
    let strikes = 0;
    let running = false;
    const strike = (): void => {
      // The failure of another task does not end one that is being carried out.
      if (!running && ++strikes === STRIKES) givingUp.abort();
    };
    const deadline = AbortSignal.timeout(pool.preferred() === null ? Math.min(COLD_MS, deadlineMs) : deadlineMs);
    const signals = [this.closing.signal, givingUp.signal, deadline];
    const signal = AbortSignal.any(caller === undefined ? signals : [caller, ...signals]);
    const work = async (endpoint: E): Promise<T> => {
      running = true;
      try {
        return await task(endpoint, signal);
      } finally {
        running = false;
      }
    };
    this.strikes.add(strike);
    try {
      return await pool.use(work, signal);
    } catch (error) {
      if (caller?.aborted) throw caller.reason;
      if (signal.aborted) throw this.unavailable(problemsOf(pool));
      // What is behind an address may have changed by the next task.
      if (error instanceof TidepoolError && error.code === 'wrong_chain') pool.recheck();
      throw this.forCaller(error);
    } finally {
      this.strikes.delete(strike);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    const { pool } = this;
    this.pool = null;
    await pool?.close();
  }

  private open(): NodePool<E> {
    const { chain, logger, exchangeMs, nodePools } = this.options;
    return this.options.open({
      urls: this.urls,
      nodes: nodePools?.of(chain, this.urls),
      timeoutMs: exchangeMs ?? (this.urls.length > 1 ? EXCHANGE_MS : NODE_DEADLINE_MS),
      maxResponseBytes: 8 * 1024 * 1024,
      rateLimitRetries: 1,
      ...SHARED_COOL_DOWN,
      onError: ({ kind, message }) => {
        if (this.logged.size < MOST_LOGGED && !this.logged.has(message)) {
          this.logged.add(message);
          logger.warn({ chain, kind }, `node: ${message}`);
        }
        // The pool sends the node into its cool-down only after this call.
        queueMicrotask(() => this.strike());
      },
      onRecovered: () => this.logged.clear(),
    });
  }

  /**
   * A method that no plan offers is missing for the caller; where none takes the key, has a quota left or has come to the
   * block, no node is there.
   */
  private forCaller(error: unknown): unknown {
    if (!(error instanceof RpcError)) return error;
    const { kind, message } = error;
    if (kind === 'head-not-reached' || kind === 'key' || kind === 'quota') return this.unavailable(message);
    return kind === 'plan' ? new RpcError('method-missing', message) : error;
  }

  private strike(): void {
    if (this.pool === null || this.pool.preferred() !== null || performance.now() - this.lastStrike < STRIKE_MS) return;
    this.lastStrike = performance.now();
    for (const strike of [...this.strikes]) strike();
  }

  private unavailable(reason: string): NodesUnavailableError {
    return new NodesUnavailableError(this.options.chain, reason);
  }
}

const MOST_LOGGED = 100;

function problemsOf<E extends JsonRpcEndpoint>(pool: NodePool<E>): string {
  const known = pool.endpoints.map((endpoint) => pool.problemOf(endpoint)?.message ?? endpoint.disabled);
  const words = known.filter((problem) => problem !== null);
  return words.length === 0 ? 'no node answered in time' : `no node answered: ${words.join('; ')}`;
}
