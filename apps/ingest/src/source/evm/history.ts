import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/evm/rpc/rpc-error.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { OrderedPrefetch } from '../ordered-prefetch.js';
import { fetchBlock, fetchHeaders } from './block-fetch.js';
import type { Discovery, EvmDiscoverer } from './discovery.js';
import type { KnownSet } from './known-set.js';
import { checkSample, fetchRange } from './range-fetch.js';
import type { RawBlock } from './raw-block.js';
import type { ReceiptProof } from './receipt-proof.js';
import type { TopicSet } from './topic-set.js';

export interface HistoryOptions {
  /** Ranges asked for at the same time. */
  parallel: number;
  /** Blocks in the first range, and the most in any. */
  firstRange: number;
  maxRange: number;
  /** A range grows or shrinks towards this many logs. */
  logsPerRange: number;
  /** Logs that may wait, fetched but not published, over all ranges. */
  maxWaitingLogs: number;
  /** Every n-th block is checked against all its receipts; 0 switches it off. */
  sampleEvery: number;
}

/** Consecutive blocks. */
export type FetchedRange = readonly RawBlock[];

export interface HistoryDeps {
  rpc: RpcPool;
  topics: TopicSet;
  known: KnownSet;
  discoverer: EvmDiscoverer;
  proof: ReceiptProof;
  options: HistoryOptions;
  /** Whether the node still has the state of old blocks; learned on the way. */
  readsOldState: { available: boolean };
}

/**
 * Fetches ranges of history in parallel and hands them out in order. What waits to be published is bounded; the size of
 * a range follows what the node gives for one question. Stops when its signal does.
 */
export class HistoryFetcher {
  private readonly ranges: OrderedPrefetch<FetchedRange[]>;
  private next: number;
  private size: number;
  /** Largest size that no node refused. */
  private ceiling: number;

  constructor(
    private readonly deps: HistoryDeps,
    from: number,
    private readonly to: number,
    private readonly signal: AbortSignal,
  ) {
    this.next = from;
    this.size = deps.options.firstRange;
    this.ceiling = deps.options.maxRange;
    const { parallel, maxWaitingLogs, logsPerRange } = deps.options;
    this.ranges = new OrderedPrefetch({
      parallel,
      maxWaiting: maxWaitingLogs,
      expected: () => logsPerRange,
      weigh: (ranges) => ranges.reduce((sum, range) => sum + countLogs(range), 0),
      next: () => this.nextRange(),
    });
  }

  /** The next ranges in order, or null at the end. */
  take(): Promise<FetchedRange[] | null> {
    return this.ranges.take();
  }

  /**
   * What the node has to be asked about a range, once all ranges before it are in the known set: so nothing is asked
   * twice, whatever was fetched ahead.
   */
  discover(blocks: FetchedRange): Promise<Discovery> {
    return this.deps.rpc.use((endpoint) => this.discoverOnce(endpoint, blocks), this.signal);
  }

  private async discoverOnce(endpoint: RpcEndpoint, blocks: FetchedRange): Promise<Discovery> {
    const { known, discoverer, readsOldState } = this.deps;
    const { signal } = this;
    const to = blocks.at(-1)!.header.height;
    const anchor = readsOldState.available;
    const request = { endpoint, blocks, known, knownHeight: Number.POSITIVE_INFINITY, at: 'latest', anchor, signal };
    const discovery = await discoverer.discover({ ...request, waiting: [] });
    const asked = discovery.tokens.size + discovery.foreign.length + discovery.pools.size > 0;
    if (asked) {
      // A node behind these blocks would have answered for a state in which they had not happened.
      const head = Number(await endpoint.call<string>('eth_blockNumber', [], signal));
      if (!(head >= to)) throw endpoint.error('server', `its head ${head} is behind block ${to}`);
    }
    const unread = [...discovery.pools.values()].some(
      (pool) => discoverer.needsReading(pool) && !discovery.anchors.has(pool.pool),
    );
    if (anchor && unread) readsOldState.available = false;
    return discovery;
  }

  private nextRange(): Promise<FetchedRange[]> | null {
    if (this.next > this.to) return null;
    const from = this.next;
    const to = Math.min(this.to, from + this.size - 1);
    this.next = to + 1;
    return this.fetch(from, to);
  }

  /** One range, in halves where it is too much for one answer. */
  private async fetch(from: number, to: number): Promise<FetchedRange[]> {
    try {
      const range = await this.deps.rpc.use((endpoint) => this.fetchOnce(endpoint, from, to), this.signal);
      this.adapt(to - from + 1, countLogs(range));
      return [range];
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'too-large') throw error;
      if (from === to) return [await this.deps.rpc.use((endpoint) => this.fetchWhole(endpoint, from), this.signal)];
      const length = to - from + 1;
      this.ceiling = Math.max(1, Math.min(this.ceiling, Math.floor(length / 2)));
      this.size = Math.min(this.size, this.ceiling);
      const middle = from + Math.floor(length / 2) - 1;
      return [...(await this.fetch(from, middle)), ...(await this.fetch(middle + 1, to))];
    }
  }

  private async fetchOnce(endpoint: RpcEndpoint, from: number, to: number): Promise<FetchedRange> {
    const { topics, proof, options } = this.deps;
    const blocks = await fetchRange(endpoint, from, to, topics, this.signal);
    if (options.sampleEvery > 0) {
      for (const block of blocks) {
        if (block.header.height % options.sampleEvery === 0)
          await checkSample(endpoint, block, topics, proof, this.signal);
      }
    }
    return blocks;
  }

  /** A block whose logs alone are more than the node gives for one question: by its receipts. */
  private async fetchWhole(endpoint: RpcEndpoint, height: number): Promise<FetchedRange> {
    const [header] = await fetchHeaders(endpoint, [height], this.signal);
    if (!header) throw endpoint.error('server', `no block at height ${height}`);
    const block = await fetchBlock(endpoint, header, this.deps.topics, 'history', this.deps.proof, this.signal);
    return [block];
  }

  private adapt(blocks: number, logs: number): void {
    const { logsPerRange } = this.deps.options;
    const factor = Math.min(2, Math.max(0.5, logsPerRange / Math.max(logs, 1)));
    // Only full-sized ranges say something about the size; the last one of a run is short.
    if (blocks < this.size && factor > 1) return;
    this.size = Math.max(1, Math.min(this.ceiling, Math.round(blocks * factor)));
  }
}

function countLogs(blocks: readonly RawBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.logs.length, 0);
}
