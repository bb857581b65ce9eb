import { LRUCache } from 'lru-cache';
import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { answerMembers, type RawAnswer } from '#libs/chain/chains/rpc/answer-members.js';
import type { JsonRpcEndpoint } from '#libs/chain/chains/rpc/endpoint.js';
import type { NodePool } from '#libs/chain/chains/rpc/node-pool.js';
import { type NodePools, SHARED_COOL_DOWN } from '#libs/chain/chains/rpc/node-pools.js';
import { readRefusal } from '#libs/chain/chains/rpc/refusals.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { internalFault, RpcFault, rpcCodes } from '../rpc-fault.js';
import { verdictOf } from './answer-proof.js';
import { type BlockRoots, type OfBlock, ofBlock, rootsOf, verdictByRoots } from './block-proof.js';
import { NodeHeads } from './node-heads.js';

export interface GatewayNodesOptions {
  readonly chain: ChainSpec;
  /** In order of preference; only http(s) URLs are used. */
  readonly urls: readonly string[];
  readonly logger: Pick<HttpLogger, 'warn'>;
  /** Of this process. */
  readonly nodePools: NodePools;
  /** How long what is known of the nodes' heads is believed. */
  readonly headsFreshMs?: number;
  /** How long a question waits for the heads. */
  readonly headsWaitMs?: number;
  /** The whole time of one question. */
  readonly deadlineMs?: number;
}

/** One question to the nodes of a chain. */
export interface NodeRequest {
  readonly method: string;
  /** JSON text of the parameters. */
  readonly params: string;
  /** Whether a node that lags answers as well as any other. */
  readonly anyNode: boolean;
  readonly sends: boolean;
}

/** What a node said; doubted: it contradicts itself or the header of its block, and no node said otherwise. */
export type NodeAnswer = RawAnswer & { readonly doubted?: true };

const DEADLINE_MS = 30_000;
/** With several nodes a slow one is left after this time. */
const EXCHANGE_MS = 10_000;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const HEADS_WAIT_MS = 400;
const HEAD_MS = 1_000;
/** After which time nodes of another chain are asked again which they serve. */
const RECHECK_MS = 10_000;
/** A node may be this far behind: the time a block takes to reach all nodes, in blocks. */
const SPREAD_MS = 4_000;

/**
 * The nodes of one chain as the gateway asks them. Invariant: a question ends by its deadline with what one node said, as
 * it said it, or with a fault of ours; a node that fails, is over its limit or lacks what is asked for is passed over, and a
 * node that lags behind the others is asked for what changes with the head only after all of them.
 */
export class GatewayNodes {
  private pool: NodePool<JsonRpcEndpoint> | null = null;
  private heads: NodeHeads<JsonRpcEndpoint> | null = null;
  private readonly urls: readonly string[];
  private readonly closing = new AbortController();
  private readonly asked = new Set<AbortController>();
  /** When the nodes were last asked which chain they serve. */
  private checked = 0;
  private headersProved = false;
  private readonly logged = new Set<string>();
  /** Of blocks by hash, those asked for last. */
  private readonly roots = new LRUCache<string, BlockRoots>({ max: MOST_ROOTS });

  constructor(private readonly options: GatewayNodesOptions) {
    this.urls = options.urls.filter((url) => /^https?:/i.test(url));
  }

  /** Number, head and failures of each node, for operators; empty before the first question. */
  status(): { node: number; requests: number; errors: number; head: number | null; lags: boolean }[] {
    return (this.pool?.endpoints ?? []).map((endpoint) => ({
      ...{ node: endpoint.index + 1, requests: endpoint.requests, errors: endpoint.errors },
      head: this.heads?.headOf(endpoint) ?? null,
      lags: this.heads?.seen(endpoint).lags ?? false,
    }));
  }

  /** RpcFault where no node gave an answer that can be passed on. */
  async ask(question: NodeRequest): Promise<NodeAnswer> {
    const { slug } = this.options.chain;
    if (this.urls.length === 0) throw internalFault(`no node of ${slug} is configured here`);
    if (this.closing.signal.aborted) throw internalFault('the gateway ends; ask again');
    const pool = this.open();
    // One controller a question: signals that are put together cost a tenth of it.
    const ending = new AbortController();
    const { signal } = ending;
    const end = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(internalFault(`no node of ${slug} answered in time`)));
    });
    end.catch(() => undefined);
    const timer = setTimeout(() => ending.abort(), this.options.deadlineMs ?? DEADLINE_MS);
    this.asked.add(ending);
    try {
      return await Promise.race([this.askInTurn(pool, question, signal), end]);
    } finally {
      clearTimeout(timer);
      this.asked.delete(ending);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const ending of this.asked) ending.abort();
    const { pool } = this;
    this.pool = null;
    await pool?.close();
  }

  private async askInTurn(
    pool: NodePool<JsonRpcEndpoint>,
    question: NodeRequest,
    signal: AbortSignal,
  ): Promise<NodeAnswer> {
    if (!question.anyNode) await this.heads?.refresh();
    const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(question.method)},"params":${question.params}}`;
    let best: NodeAnswer | null = null;
    let failure: RpcError | null = null;
    let limited = false;
    const block = this.options.chain.family === 'evm' ? ofBlock(question.method, question.params) : null;
    const roots = block === null ? null : this.rootsOf(pool, block.hash, signal);
    for (const endpoint of this.inOrder(pool, question)) {
      try {
        const said = await pool.on(endpoint, () => this.exchange(endpoint, question, body, signal), signal);
        const answer = block === null ? said : this.compared(endpoint, block, said, await roots);
        const { error } = answer;
        const lacks =
          error === undefined
            ? answer.doubted === true || (question.anyNode && isNull(answer.result))
            : this.saysLack(error);
        if (!lacks) return known(question, answer, best !== null || failure !== null) ?? answer;
        // Of what they say, a result counts more than an error.
        if (best === null || (best.error !== undefined && error === undefined)) best = answer;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        failure = error;
        limited ||= LIMITS.has(error.kind);
        if (error.kind === 'quota') pool.blame(endpoint, error);
      }
    }
    if (best !== null) return best;
    const { slug } = this.options.chain;
    if (failure?.kind === 'too-large') {
      throw internalFault(`the answer is larger than ${MOST_ANSWER_BYTES} bytes: ask for less`);
    }
    if (limited || this.allLimited(pool)) {
      throw new RpcFault(rpcCodes.limited, `every node of ${slug} is over its limit now; ask again in a moment`);
    }
    throw internalFault(`no node of ${slug} answered`);
  }

  /** One exchange; an error object that speaks about the node and not the question is thrown, and so is an inconsistent response. */
  private async exchange(
    endpoint: JsonRpcEndpoint,
    question: NodeRequest,
    body: string,
    signal: AbortSignal,
  ): Promise<NodeAnswer> {
    const answer = answerMembers(await endpoint.ask(body, signal));
    if (answer === null) throw endpoint.error('invalid', 'an answer that is no JSON-RPC');
    if (answer.error === undefined) return this.judged(endpoint, question, answer.result);
    const { code, message } = readError(answer.error);
    const kind = this.kindOf(code, message);
    if (LIMITS.has(kind)) throw endpoint.error(kind, message);
    return { error: Buffer.from(endpoint.hide(answer.error.toString('utf8')), 'utf8') };
  }

  /** Headers of a chain that hashes them in another way are not inconsistent: until one has proved itself they are doubted. */
  private judged(endpoint: JsonRpcEndpoint, { method, params }: NodeRequest, result: ByteChunks): NodeAnswer {
    if (this.options.chain.family !== 'evm') return { result };
    const verdict = verdictOf(method, params, result);
    if (verdict.kind === 'proved') this.headersProved = true;
    if (verdict.kind === 'inconsistent-response' || verdict.kind === 'doubt') {
      const inconsistent = endpoint.error('inconsistent-response', verdict.why);
      if (verdict.kind === 'inconsistent-response' || this.headersProved) throw inconsistent;
      this.warn(inconsistent);
      return { result, doubted: true };
    }
    return { result };
  }

  /**
   * An answer that its block's header speaks against is doubted, and given where no node has another: some chains show receipts
   * that their root leaves out.
   */
  private compared(endpoint: JsonRpcEndpoint, block: OfBlock, said: NodeAnswer, roots: BlockRoots | null): NodeAnswer {
    if (roots === null || said.error !== undefined) return said;
    const verdict = verdictByRoots(block, said.result, roots);
    if (verdict.kind !== 'doubt') return said;
    this.warn(endpoint.error('inconsistent-response', verdict.why));
    return { ...said, doubted: true };
  }

  /** Asked for at the same time as what they prove; null where no node gives a header that has the hash. */
  private async rootsOf(
    pool: NodePool<JsonRpcEndpoint>,
    hash: string,
    signal: AbortSignal,
  ): Promise<BlockRoots | null> {
    const known = this.roots.get(hash);
    if (known !== undefined) return known;
    const params = JSON.stringify([hash, false]);
    const asked = { method: 'eth_getBlockByHash', params, anyNode: true, sends: false };
    const answer = await this.askInTurn(pool, asked, signal).catch(() => null);
    const roots = answer === null || answer.error !== undefined ? null : rootsOf(answer.result.joined(), hash);
    if (roots === null) return null;
    this.roots.set(hash, roots);
    return roots;
  }

  /** Whether another node may know better: this one lacks the block, the state or the method, or is in trouble itself. */
  private saysLack(error: Buffer): boolean {
    const { code, message } = readError(error);
    if (code === rpcCodes.internal || IN_TROUBLE.test(message)) return true;
    const kind = this.kindOf(code, message);
    return ['pruned', 'unknown-block', 'method-missing', 'plan', 'key', 'head-not-reached'].includes(kind);
  }

  private kindOf(code: number, message: string): RpcError['kind'] {
    return readRefusal(this.options.chain.family, { status: 200, code, message });
  }

  /**
   * Nodes that are ready, then those that cool down after a failure or did not say how far they are; of both the ones that
   * lag last. One that said it is asked too much has its pause.
   */
  private inOrder(pool: NodePool<JsonRpcEndpoint>, { anyNode }: NodeRequest): JsonRpcEndpoint[] {
    const now = performance.now();
    const usable = pool.usable.filter((endpoint) => endpoint.coolUntil <= now || !this.isLimited(pool, endpoint));
    const rank = (endpoint: JsonRpcEndpoint): number => {
      const { lags = false, silent = false } = anyNode ? {} : (this.heads?.seen(endpoint) ?? {});
      return (endpoint.coolUntil > now || silent ? 1 : 0) + (lags ? 2 : 0);
    };
    return usable.sort((a, b) => rank(a) - rank(b) || a.index - b.index);
  }

  private isLimited(pool: NodePool<JsonRpcEndpoint>, endpoint: JsonRpcEndpoint): boolean {
    const problem = pool.problemOf(endpoint);
    return problem !== null && LIMITS.has(problem.kind);
  }

  private allLimited(pool: NodePool<JsonRpcEndpoint>): boolean {
    const { usable } = pool;
    return usable.length > 0 && usable.every((endpoint) => this.isLimited(pool, endpoint));
  }

  /** The pool. Where every node is of another chain they are asked again after a while. */
  private open(): NodePool<JsonRpcEndpoint> {
    const { pool } = this;
    if (pool !== null) {
      if (pool.usable.length === 0 && performance.now() - this.checked > RECHECK_MS) {
        pool.recheck();
        this.checked = performance.now();
      }
      return pool;
    }
    const made = this.make();
    this.pool = made;
    this.checked = performance.now();
    this.heads = new NodeHeads({
      endpoints: made.endpoints,
      headOf: (endpoint) => this.headOf(made, endpoint),
      tolerance: Math.max(1, Math.ceil(SPREAD_MS / this.options.chain.blockTimeMs)),
      freshMs: this.options.headsFreshMs ?? Math.min(Math.max(this.options.chain.blockTimeMs / 2, 500), 3_000),
      waitMs: this.options.headsWaitMs ?? HEADS_WAIT_MS,
    });
    return made;
  }

  private make(): NodePool<JsonRpcEndpoint> {
    const { chain, nodePools } = this.options;
    const pool = {
      urls: this.urls,
      nodes: nodePools.of(chain.slug, this.urls),
      ofClients: true,
      timeoutMs: this.urls.length > 1 ? EXCHANGE_MS : DEADLINE_MS,
      ...{ maxResponseBytes: MOST_ANSWER_BYTES, maxConcurrency: 64, rateLimitRetries: 0 },
      ...SHARED_COOL_DOWN,
      onError: (error: RpcError) => this.warn(error),
      onRecovered: () => this.logged.clear(),
    };
    const made: unknown =
      chain.family === 'evm' ? new RpcPool({ ...pool, chainId: chain.chainId! }) : new SolanaPool(pool);
    return made as NodePool<JsonRpcEndpoint>;
  }

  private warn({ kind, message }: RpcError): void {
    if (this.logged.size >= MOST_LOGGED || this.logged.has(message)) return;
    this.logged.add(message);
    const { chain, logger } = this.options;
    logger.warn({ chain: chain.slug, kind }, `gateway: ${message}`);
  }

  private async headOf(pool: NodePool<JsonRpcEndpoint>, endpoint: JsonRpcEndpoint): Promise<number | null> {
    if (endpoint.disabled !== null || endpoint.coolUntil > performance.now()) return null;
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(HEAD_MS)]);
    const [method, params] =
      this.options.chain.family === 'evm' ? ['eth_blockNumber', []] : ['getSlot', [{ commitment: 'processed' }]];
    try {
      const head = Number(
        await pool.on(endpoint, (asked) => asked.call(method as string, params as [], signal), signal),
      );
      return Number.isSafeInteger(head) ? head : null;
    } catch {
      // The pool noted what is wrong with the node.
      return null;
    }
  }
}

/** What a node gives at a time, or in a day or a month, is used up: for the caller both are a limit. */
const LIMITS: ReadonlySet<RpcError['kind']> = new Set(['rate-limited', 'quota']);
const MOST_LOGGED = 100;
const MOST_ROOTS = 1_000;
/** A node that lags says so of a block that others have. */
const NULL = Buffer.from('null');
const isNull = (result: ByteChunks): boolean => result.length === NULL.length && NULL.equals(result.joined());

function readError(error: Buffer): { code: number; message: string } {
  try {
    const { code, message } = JSON.parse(error.toString('utf8')) as { code?: unknown; message?: unknown };
    return { code: Number(code), message: String(message ?? '') };
  } catch {
    return { code: Number.NaN, message: '' };
  }
}

/** What nodes say of themselves under a code that says nothing of it. */
const IN_TROUBLE = /behind|unhealthy|minimum context slot|^internal (server )?error\b/i;

const ALREADY_KNOWN = /already known|known transaction|already imported|alreadyknown/i;

/**
 * A transaction that was sent to a node whose answer got lost, or that failed at it, may be known to the next one: then it
 * is sent, and its hash is the answer. null: the node's own answer is kept.
 */
function known({ method, params, sends }: NodeRequest, { error }: RawAnswer, askedBefore: boolean): RawAnswer | null {
  if (error === undefined || !askedBefore || !sends || method !== 'eth_sendRawTransaction') return null;
  if (!ALREADY_KNOWN.test(readError(error).message)) return null;
  const raw = /^\["0x((?:[0-9a-f]{2})+)"\]$/i.exec(params)?.[1];
  if (raw === undefined) return null;
  return { result: new ByteChunks([Buffer.from(JSON.stringify(`0x${keccak256Hex(Buffer.from(raw, 'hex'))}`))]) };
}
