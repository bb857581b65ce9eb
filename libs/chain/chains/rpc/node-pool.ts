import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { TidepoolError } from '#libs/core/errors.js';
import type { EndpointOptions, JsonRpcEndpoint } from './endpoint.js';
import type { Lack, Need } from './node-lacks.js';
import type { NodeMemory } from './node-memory.js';
import { NodeSet } from './node-set.js';
import type { CoolDown, EndpointProblem } from './node-state.js';
import { RpcError } from './rpc-error.js';

export interface NodePoolOptions<E extends JsonRpcEndpoint> {
  /** In the order of preference. */
  urls: readonly string[];
  /** The same nodes as others in this process ask them; absent: nodes of this pool's own. */
  nodes?: NodeSet;
  /**
   * The questions are of clients whom this instance does not know: a failure that a question can provoke holds back these
   * questions alone.
   */
  ofClients?: boolean;
  /**
   * A kind of question that a node refuses so often in a row, in words that say nothing, is one that it lacks, if it answers a
   * small question meanwhile; one in which it contradicts itself, sooner. Absent: such a node is asked until it answers.
   */
  unclearRefusals?: number;
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

export interface UseOptions {
  /** On the node that is least busy, where a task is one of many. */
  readonly spread?: boolean;
  /** How often nodes are asked again that have not come to a block, where all others lack it. */
  readonly pauses?: number;
}

/** What a task did not find on one node: the next one is asked, and nothing is held against this one. */
export class NotHere extends RpcError {
  constructor(readonly reason: RpcError) {
    super('pruned', reason.message);
  }
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
 * back by itself. Pools of the same set of nodes share what they learn; each has its own pace, times and share of requests.
 * Invariant: an error about the question (too large, reverted) is thrown at once; one about what a node has,
 * when every node lacks it.
 */
export abstract class NodePool<E extends JsonRpcEndpoint> {
  readonly endpoints: readonly E[];
  private readonly nodes: NodeSet;
  private closed = false;
  /** Blamed by this pool since it last said that they recovered. */
  private readonly failing = new Set<E>();
  /** Unclear refusals in a row, by the kind of question. */
  private readonly refusals = new Map<E, Map<string, number>>();
  private readonly coolDownMs: number;
  private readonly maxCoolDownMs: number;

  constructor(
    private readonly options: NodePoolOptions<E>,
    make: (index: number, url: string, dispatcher: Dispatcher, options: EndpointOptions) => E,
  ) {
    const maxConcurrency = options.maxConcurrency ?? 16;
    const { urls, memory } = options;
    this.nodes = (options.nodes ?? new NodeSet({ urls, connections: maxConcurrency, memory })).enter();
    this.coolDownMs = options.coolDownMs ?? 500;
    this.maxCoolDownMs = options.maxCoolDownMs ?? 30_000;
    const each: EndpointOptions = {
      timeoutMs: options.timeoutMs ?? 30_000,
      maxResponseBytes: options.maxResponseBytes ?? 128 * 1024 * 1024,
      maxConcurrency,
      rateLimitRetries: options.rateLimitRetries ?? 4,
    };
    const { agent, states } = this.nodes;
    this.endpoints = this.nodes.urls.map((url, index) => make(index, url, agent, { ...each, state: states[index]! }));
  }

  /**
   * Runs the task until an endpoint carried it through. Only a wrong chain everywhere, what every node lacks or the signal
   * ends it early. `need`: the kind of question, for what is remembered of nodes that lack it.
   */
  async use<T>(
    task: (endpoint: E) => Promise<T>,
    signal?: AbortSignal,
    need: Need = ANYTHING,
    { spread = false, pauses: most = BEHIND_PAUSES }: UseOptions = {},
  ): Promise<T> {
    const lacking = new Map<E, RpcError>();
    for (let pauses = 0; ; ) {
      signal?.throwIfAborted();
      const endpoint = await this.next(need, lacking, spread, signal);
      if (endpoint === null) {
        const errors = [...lacking.values()];
        const behind = errors.find(({ kind }) => kind === 'head-not-reached');
        if (behind === undefined || ++pauses > most) throw behind ?? errors[0]!;
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
        else if (await this.refusesKind(endpoint, error, need, signal)) {
          const lack = new RpcError('method-missing', error.message);
          this.noteLack(endpoint, lack, need);
          lacking.set(endpoint, lack);
        }
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
      for (const coolDown of [endpoint.state.coolDown, endpoint.ownCoolDown]) coolDown.failures = 0;
      endpoint.state.lacks.has(need);
      this.refusals.get(endpoint)?.delete(need.what);
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

  /** All but those that serve another chain. */
  get usable(): E[] {
    return this.endpoints.filter(({ disabled }) => disabled === null);
  }

  /** The endpoint that the next task will get, if any is ready now. */
  preferred(): E | null {
    const now = performance.now();
    return this.usable.find((endpoint) => endpoint.coolUntil <= now) ?? null;
  }

  /**
   * Sends an endpoint into its cool-down, longer with every failure in a row, at least `leastMs` and as long as the node
   * asks for. It never ends sooner than one that it is in already.
   */
  blame(endpoint: E, error: RpcError, leastMs = 0): void {
    const coolDown = this.coolDownOf(endpoint, error);
    note(coolDown, error);
    this.failing.add(endpoint);
    this.options.onError?.(error, endpoint);
    const usual = Math.min(this.coolDownMs * 2 ** Math.min(coolDown.failures, 10), this.maxCoolDownMs);
    // A node with an inconsistent response is not asked again soon, whatever it answered before.
    const ofKind = error.kind === 'inconsistent-response' ? this.coolDownMs * 8 : 0;
    const pause = Math.max(usual, leastMs, ofKind, error.retryAfterMs ?? 0);
    coolDown.failures++;
    coolDown.until = Math.max(coolDown.until, performance.now() + pause);
    coolDown.reason = error.message;
  }

  /** What is wrong with an endpoint, as its last answers showed; null when nothing is. */
  problemOf(endpoint: E): EndpointProblem | null {
    const [own, common] = [endpoint.ownCoolDown.problem, endpoint.state.coolDown.problem];
    return own !== null && (common === null || own.at >= common.at) ? own : common;
  }

  /** Whether an endpoint is known to lack something. */
  isLacking(endpoint: E, need: Need): boolean {
    return endpoint.state.lacks.lacks(need);
  }

  /** Remembers what an endpoint said that it lacks, where the task continues without it. */
  learn(endpoint: E, error: RpcError, need: Need): void {
    if (error.saysLack) this.noteLack(endpoint, error, need);
    else if (error.kind === 'incomplete') note(endpoint.state.coolDown, error);
  }

  /** What an endpoint is known to lack. */
  lacksOf(endpoint: E): readonly Lack[] {
    return endpoint.state.lacks.all();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.nodes.leave();
  }

  /** Nodes of another chain are asked again which one they serve: what is behind an address may have changed. */
  recheck(): void {
    for (const endpoint of this.endpoints) {
      if (endpoint.disabled === null) continue;
      endpoint.disabled = null;
      endpoint.verified = false;
      endpoint.wake();
    }
  }

  /** A limit of the rate belongs to the pace of those who ask, and so does what their questions can provoke. */
  private coolDownOf(endpoint: E, { kind }: RpcError): CoolDown {
    const own = kind === 'rate-limited' || (this.options.ofClients === true && PROVOKED.has(kind));
    return own ? endpoint.ownCoolDown : endpoint.state.coolDown;
  }

  /** Whether a node refuses one kind of question, for a reason that is not understood, and answers others. */
  private async refusesKind(endpoint: E, error: RpcError, need: Need, signal?: AbortSignal): Promise<boolean> {
    const { unclearRefusals } = this.options;
    if (unclearRefusals === undefined || need === ANYTHING || !UNCLEAR.has(error.kind)) return false;
    const { kind, message } = error;
    const most =
      kind === 'inconsistent-response'
        ? CONTRADICTIONS
        : unclearRefusals * (kind === 'server' && PASSING.test(message) ? TIMES_PASSING : 1);
    const counts = this.refusals.get(endpoint) ?? new Map<string, number>();
    this.refusals.set(endpoint, counts);
    const count = (counts.get(need.what) ?? 0) + 1;
    counts.set(need.what, count);
    if (count < most) return false;
    counts.delete(need.what);
    try {
      await this.askSmall(endpoint, signal);
      return true;
    } catch (failure) {
      if (failure instanceof RpcError) return false;
      throw failure;
    }
  }

  /** A small question that every node answers. */
  protected abstract askSmall(endpoint: E, signal?: AbortSignal): Promise<unknown>;

  private noteLack(endpoint: E, error: RpcError, need: Need): void {
    if (error.kind === 'head-not-reached') {
      if (need.height !== undefined) endpoint.state.lacks.isBehind(need.height);
      return;
    }
    note(this.options.ofClients === true ? endpoint.ownCoolDown : endpoint.state.coolDown, error);
    // Of a question without a name, or of a past without a height, nothing follows for others.
    if (need === ANYTHING || (error.kind === 'pruned' && need.height === undefined)) return;
    endpoint.state.lacks.add(need, error);
  }

  private recovered(endpoint: E): void {
    let [recovered, lasting] = [false, false];
    for (const coolDown of [endpoint.state.coolDown, endpoint.ownCoolDown]) {
      const { problem } = coolDown;
      if (problem === null) continue;
      if (lasts(problem) && Date.now() - problem.at < LACK_SHOWN_MS) {
        lasting = true;
        continue;
      }
      coolDown.problem = null;
      recovered = true;
    }
    // Another pool may have seen before this one that the node answers again.
    if (!recovered && (lasting || !this.failing.has(endpoint))) return;
    this.failing.delete(endpoint);
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
      const { usable } = this;
      if (usable.length === 0) {
        const reasons = this.endpoints.map((endpoint) => endpoint.disabled).join('; ');
        throw new TidepoolError('wrong_chain', `no usable RPC endpoint: ${reasons}`);
      }
      const known = usable.filter((endpoint) => !lacking.has(endpoint));
      // When all that are left lack it, as far as is remembered, they are asked again: a plan or a node may have changed.
      const having = known.filter((endpoint) => !endpoint.state.lacks.lacks(need));
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

/** Refusals from which nothing can be learned about the question. */
const UNCLEAR: ReadonlySet<RpcError['kind']> = new Set(['server', 'invalid', 'unanswered', 'inconsistent-response']);
/** Words of a trouble that ends by itself: it has to last longer before it means anything. */
const PASSING = /temporar|retry|try again|later|moment|busy|overload|unavailable|backend|healthy|HTTP 5\d\d/i;
const TIMES_PASSING = 4;
/** Answers in a row in which a node contradicts itself: of no use for this kind of question. */
const CONTRADICTIONS = 2;
const ANYTHING: Need = { what: 'questions' };
/** What stays wrong with a node although it answers other questions. */
const LASTING: ReadonlySet<RpcError['kind']> = new Set([
  'pruned',
  'method-missing',
  'plan',
  'quota',
  'key',
  'incomplete',
]);
const lasts = ({ kind }: EndpointProblem): boolean => LASTING.has(kind);

/** What a question can bring about on a node that answers others. Words of a quota may be the question's own, repeated. */
const PROVOKED: ReadonlySet<RpcError['kind']> = new Set(['unanswered', 'server', 'invalid', 'incomplete', 'quota']);

function note(coolDown: CoolDown, { kind, message }: RpcError): void {
  coolDown.problem = { kind, message, at: Date.now() };
}
