import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { TidepoolError } from '#libs/core/errors.js';
import type { EndpointOptions, JsonRpcEndpoint } from './endpoint.js';
import { type Lack, type Need, NodeLacks } from './node-lacks.js';
import type { NodeMemory } from './node-memory.js';
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
  onError?: (error: RpcError, endpoint: E) => void;
  /** An endpoint that had failed carried a task through. */
  onRecovered?: (endpoint: E) => void;
  /** Keeps what was learned of the nodes for the next start. */
  memory?: NodeMemory;
}

/** What a task did not find on one node: the next one is asked, and nothing is held against this one. */
export class NotHere extends RpcError {
  constructor(readonly reason: RpcError) {
    super('pruned', reason.message);
  }
}

/** What an endpoint failed with last, and when (Unix ms). */
export interface EndpointProblem {
  kind: RpcError['kind'];
  message: string;
  at: number;
}

/** A node that lacks old state, or leaves logs out, answers everything else: what is wrong with it is shown for so long. */
const LACK_SHOWN_MS = 300_000;
/** A node that has not come to a block is asked for it again after so long, and so often. */
const BEHIND_PAUSE_MS = 250;
const BEHIND_PAUSES = 40;

/**
 * The nodes of one chain in the order of preference. A task runs on the first one that is not cooling down and is not known
 * to lack what the task needs; when the node is to blame for a failure, it cools down and the task runs again on the next;
 * when it lacks what is asked for, that is remembered for the same need and the next one is asked. The first choice comes
 * back by itself. Invariant: an error about the question (too large, reverted) is thrown at once; one about what a node has,
 * when every node lacks it.
 */
export abstract class NodePool<E extends JsonRpcEndpoint> {
  readonly endpoints: readonly E[];
  private readonly agent: Agent;
  private readonly problems = new Map<E, EndpointProblem>();
  private readonly lacks = new Map<E, NodeLacks>();
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
    for (const [index, endpoint] of this.endpoints.entries()) {
      const saved = options.memory?.of(keyOf(options.urls[index]!));
      if (saved !== undefined) endpoint.restoreSizes(saved.sizes);
      this.lacks.set(endpoint, new NodeLacks(saved?.lacks));
    }
  }

  /**
   * Runs the task until an endpoint carried it through. Only a wrong chain everywhere, what every node lacks or the signal
   * ends it early. `need`: the kind of question, for what is remembered of nodes that lack it. `spread`: on the node that is
   * least busy, where a task is one of many.
   */
  async use<T>(
    task: (endpoint: E) => Promise<T>,
    signal?: AbortSignal,
    need: Need = ANYTHING,
    spread = false,
  ): Promise<T> {
    const lacking = new Map<E, RpcError>();
    for (let pauses = 0; ; ) {
      signal?.throwIfAborted();
      const endpoint = await this.next(need, lacking, spread, signal);
      if (endpoint === null) {
        const errors = [...lacking.values()];
        const behind = errors.find(({ kind }) => kind === 'head-not-reached');
        if (behind === undefined || ++pauses > BEHIND_PAUSES) throw behind ?? errors[0]!;
        await delay(BEHIND_PAUSE_MS, undefined, { signal });
        for (const [node, { kind }] of lacking) if (kind === 'head-not-reached') lacking.delete(node);
        continue;
      }
      try {
        return await this.on(endpoint, task, signal, need);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.saysLack) lacking.set(endpoint, error);
        else if (!error.blamesNode) throw error;
      }
    }
  }

  /**
   * Runs the task on this endpoint, for a caller that chooses by itself. A failure that the node is to blame for sends it
   * into its cool-down and is thrown.
   */
  async on<T>(endpoint: E, task: (endpoint: E) => Promise<T>, signal?: AbortSignal, need: Need = ANYTHING): Promise<T> {
    endpoint.running++;
    try {
      if (!endpoint.verified) await this.verify(endpoint, signal);
      const result = await task(endpoint);
      endpoint.failures = 0;
      this.lacks.get(endpoint)!.has(need);
      this.recovered(endpoint);
      return result;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error instanceof NotHere) throw error;
      if (error.saysLack) this.noteLack(endpoint, error, need);
      else if (error.blamesNode) this.blame(endpoint, error);
      throw error;
    } finally {
      endpoint.running--;
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
    this.options.onError?.(error, endpoint);
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

  /** Whether an endpoint is known to lack something. */
  isLacking(endpoint: E, need: Need): boolean {
    return this.lacks.get(endpoint)!.lacks(need);
  }

  /** Remembers what an endpoint said that it lacks, where the task continues without it. */
  learn(endpoint: E, error: RpcError, need: Need): void {
    if (error.saysLack) this.noteLack(endpoint, error, need);
    else if (error.kind === 'incomplete') this.note(endpoint, error);
  }

  /** What an endpoint is known to lack. */
  lacksOf(endpoint: E): readonly Lack[] {
    return this.lacks.get(endpoint)?.all() ?? [];
  }

  async close(): Promise<void> {
    this.remember();
    await this.agent.destroy();
  }

  /** Keeps what was learned for the next start. */
  remember(): void {
    const { memory, urls } = this.options;
    if (memory === undefined) return;
    for (const [index, endpoint] of this.endpoints.entries()) {
      memory.keep(keyOf(urls[index]!), { sizes: endpoint.savedSizes(), lacks: this.lacksOf(endpoint) });
    }
    memory.save();
  }

  private noteLack(endpoint: E, error: RpcError, need: Need): void {
    if (error.kind === 'head-not-reached') return;
    this.note(endpoint, error);
    // Of a question without a name, or of a past without a height, nothing follows for others.
    if (need === ANYTHING || (error.kind === 'pruned' && need.height === undefined)) return;
    this.lacks.get(endpoint)!.add(need, error);
  }

  private note(endpoint: E, { kind, message }: RpcError): void {
    this.problems.set(endpoint, { kind, message, at: Date.now() });
  }

  private recovered(endpoint: E): void {
    const problem = this.problems.get(endpoint);
    if (problem === undefined || (lasts(problem) && Date.now() - problem.at < LACK_SHOWN_MS)) return;
    this.problems.delete(endpoint);
    this.options.onRecovered?.(endpoint);
  }

  /** The first endpoint that is ready and not known to lack the need; null when all of them lack it. */
  private async next(
    need: Need,
    lacking: ReadonlyMap<E, RpcError>,
    spread: boolean,
    signal?: AbortSignal,
  ): Promise<E | null> {
    for (;;) {
      const usable = this.endpoints.filter((endpoint) => endpoint.disabled === null);
      if (usable.length === 0) {
        const reasons = this.endpoints.map((endpoint) => endpoint.disabled).join('; ');
        throw new TidepoolError('wrong_chain', `no usable RPC endpoint: ${reasons}`);
      }
      const known = usable.filter((endpoint) => !lacking.has(endpoint));
      // When all that are left lack it, as far as is remembered, they are asked again: a plan or a node may have changed.
      const having = known.filter((endpoint) => !this.lacks.get(endpoint)!.lacks(need));
      const left = having.length > 0 ? having : known;
      if (left.length === 0) return null;
      const now = performance.now();
      const ready = left.filter((endpoint) => endpoint.coolUntil <= now);
      if (spread) ready.sort((a, b) => a.running - b.running || a.index - b.index);
      if (ready.length > 0) return ready[0]!;
      const wait = Math.min(...left.map((endpoint) => endpoint.coolUntil)) - now;
      await delay(Math.max(wait, 1), undefined, { signal });
    }
  }

  /** Asks a node once whether it serves the right chain; sets `verified`, or `disabled` and throws. */
  protected abstract verify(endpoint: E, signal?: AbortSignal): Promise<void>;
}

const ANYTHING: Need = { what: 'questions' };
/** What stays wrong with a node although it answers other questions. */
const LASTING: ReadonlySet<RpcError['kind']> = new Set(['pruned', 'method-missing', 'plan', 'incomplete']);
const lasts = ({ kind }: EndpointProblem): boolean => LASTING.has(kind);

/** Names a node without its URL, which may hold a key. */
const keyOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);
