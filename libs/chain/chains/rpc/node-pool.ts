import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { TidepoolError } from '#libs/core/errors.js';
import type { EndpointOptions, JsonRpcEndpoint } from './endpoint.js';
import { RpcError } from './rpc-error.js';

export interface NodePoolOptions<E extends JsonRpcEndpoint> {
  urls: readonly string[];
  timeoutMs?: number;
  maxResponseBytes?: number;
  maxConcurrency?: number;
  rateLimitRetries?: number;
  /** First cool-down of a failing endpoint; doubles with each further failure up to the maximum. */
  coolDownMs?: number;
  maxCoolDownMs?: number;
  onError?: (error: RpcError) => void;
  /** An endpoint that had failed carried a task through. */
  onRecovered?: (endpoint: E) => void;
}

/** What an endpoint failed with last, and when (Unix ms). */
export interface EndpointProblem {
  kind: RpcError['kind'];
  message: string;
  at: number;
}

/** A node that lacks old state answers everything else: what it lacks is shown for so long. */
const LACK_SHOWN_MS = 300_000;

/**
 * The nodes of one chain in the order of preference. A task runs on the first one that is not cooling down; when the
 * node is to blame for a failure, it cools down and the task runs again on the next. The first choice comes back by
 * itself once its cool-down is over. A question that no node can answer (too large, pruned, reverted) is the task's
 * own error and is thrown at once.
 */
export abstract class NodePool<E extends JsonRpcEndpoint> {
  readonly endpoints: readonly E[];
  private readonly agent: Agent;
  private readonly problems = new Map<E, EndpointProblem>();
  private readonly coolDownMs: number;
  private readonly maxCoolDownMs: number;

  constructor(
    private readonly options: NodePoolOptions<E>,
    make: (index: number, url: string, dispatcher: Dispatcher, options: EndpointOptions) => E,
  ) {
    if (options.urls.length === 0) throw new TidepoolError('no_rpc', 'no HTTP RPC endpoint is configured');
    const maxConcurrency = options.maxConcurrency ?? 16;
    this.agent = new Agent({ connections: maxConcurrency, keepAliveTimeout: 30_000, pipelining: 1 });
    this.coolDownMs = options.coolDownMs ?? 500;
    this.maxCoolDownMs = options.maxCoolDownMs ?? 30_000;
    const each: EndpointOptions = {
      timeoutMs: options.timeoutMs ?? 30_000,
      maxResponseBytes: options.maxResponseBytes ?? 128 * 1024 * 1024,
      maxConcurrency,
      rateLimitRetries: options.rateLimitRetries ?? 4,
    };
    this.endpoints = options.urls.map((url, index) => make(index, url, this.agent, each));
  }

  /** Runs the task until an endpoint carried it through. Only a wrong chain everywhere or the signal ends it early. */
  async use<T>(task: (endpoint: E) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      const endpoint = await this.next(signal);
      try {
        return await this.on(endpoint, task, signal);
      } catch (error) {
        if (!(error instanceof RpcError) || !error.blamesNode) throw error;
      }
    }
  }

  /**
   * Runs the task on this endpoint, for a caller that chooses by itself. A failure that the node is to blame for sends it
   * into its cool-down and is thrown.
   */
  async on<T>(endpoint: E, task: (endpoint: E) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      if (!endpoint.verified) await this.verify(endpoint, signal);
      const result = await task(endpoint);
      endpoint.failures = 0;
      this.recovered(endpoint);
      return result;
    } catch (error) {
      if (error instanceof RpcError && error.kind === 'pruned') this.note(endpoint, error);
      if (error instanceof RpcError && error.blamesNode) this.blame(endpoint, error);
      throw error;
    }
  }

  /** The endpoint that the next task will get, if any is ready now. */
  preferred(): E | null {
    const now = performance.now();
    return this.endpoints.find((endpoint) => endpoint.disabled === null && endpoint.coolUntil <= now) ?? null;
  }

  /** Sends an endpoint into its cool-down, longer with every failure in a row and at least `leastMs`. */
  blame(endpoint: E, error: RpcError, leastMs = 0): void {
    this.note(endpoint, error);
    this.options.onError?.(error);
    const usual = Math.min(this.coolDownMs * 2 ** Math.min(endpoint.failures, 10), this.maxCoolDownMs);
    const pause = Math.max(usual, leastMs);
    endpoint.failures++;
    // A node with an inconsistent response is not asked again soon, whatever it answered before.
    endpoint.coolUntil =
      performance.now() + (error.kind === 'inconsistent-response' ? Math.max(pause, this.coolDownMs * 8) : pause);
    endpoint.coolReason = error.message;
  }

  /** What is wrong with an endpoint, as its last answers showed; null when nothing is. */
  problemOf(endpoint: E): EndpointProblem | null {
    return this.problems.get(endpoint) ?? null;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private note(endpoint: E, { kind, message }: RpcError): void {
    this.problems.set(endpoint, { kind, message, at: Date.now() });
  }

  private recovered(endpoint: E): void {
    const problem = this.problems.get(endpoint);
    if (problem === undefined || (problem.kind === 'pruned' && Date.now() - problem.at < LACK_SHOWN_MS)) return;
    this.problems.delete(endpoint);
    this.options.onRecovered?.(endpoint);
  }

  private async next(signal?: AbortSignal): Promise<E> {
    for (;;) {
      const ready = this.preferred();
      if (ready) return ready;
      const usable = this.endpoints.filter((endpoint) => endpoint.disabled === null);
      if (usable.length === 0) {
        const reasons = this.endpoints.map((endpoint) => endpoint.disabled).join('; ');
        throw new TidepoolError('wrong_chain', `no usable RPC endpoint: ${reasons}`);
      }
      const wait = Math.min(...usable.map((endpoint) => endpoint.coolUntil)) - performance.now();
      await delay(Math.max(wait, 1), undefined, { signal });
    }
  }

  /** Asks a node once whether it serves the right chain; sets `verified`, or `disabled` and throws. */
  protected abstract verify(endpoint: E, signal?: AbortSignal): Promise<void>;
}
