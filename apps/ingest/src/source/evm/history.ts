import type { LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { Need } from '#libs/chain/chains/rpc/node-lacks.js';
import { NotHere } from '#libs/chain/chains/rpc/node-pool.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import { OrderedPrefetch } from '../ordered-prefetch.js';
import { type BlockReading, byReceipts } from './block-fetch.js';
import type { Discovery, DiscoveryRequest, EvmDiscoverer } from './discovery.js';
import type { Emitters } from './emitters.js';
import type { KnownSet } from './known-set.js';
import { fetchRange, sameLogs } from './range-fetch.js';
import type { Header, RawBlock } from './raw-block.js';
import { fetchByReceipts, fetchProven, fetchSingly, fetchWhole } from './receipt-range.js';
import { needOfEachReceipt, needOfReceipts } from './receipts.js';

/**
 * How history is read. `ranges`: all logs of many blocks in one question. `receipts`: those of each block. `addresses`: logs of
 * the contracts that were heard of, and each block that these do not complete by itself. `transactions`: the receipt of each
 * transaction, which every node has. `auto`: the first of them that a node has, and receipts where ranges are shorter than they
 * are worth.
 */
export const HISTORY_WAYS = ['ranges', 'receipts', 'addresses', 'transactions'] as const;
export type HistoryWay = (typeof HISTORY_WAYS)[number];

export interface HistoryOptions {
  way: HistoryWay | 'auto';
  /** Ranges asked for at the same time. */
  parallel: number;
  /** Blocks in the first range, and the most in any. */
  firstRange: number;
  maxRange: number;
  /** A range grows or shrinks towards this many logs. */
  logsPerRange: number;
  /** Logs that may wait, fetched but not published, over all ranges. */
  maxWaitingLogs: number;
  /** Of so many blocks that their receipts have not proven, one is compared with them, drawn by chance; 0 switches it off. */
  sampleEvery: number;
}

/** Consecutive blocks. */
export type FetchedRange = readonly RawBlock[];

export interface HistoryDeps {
  rpc: RpcPool;
  known: KnownSet;
  discoverer: EvmDiscoverer;
  reading: BlockReading;
  options: HistoryOptions;
  observer: SourceObserver;
  emitters: Emitters;
  /** Nodes that gave logs which differ from the receipts: only what proves itself is taken from them. */
  liars: Set<number>;
  /** A node left out logs. */
  onGaps: (endpoint: RpcEndpoint) => void;
  /** Whether the node still has the state of old blocks; learned on the way. */
  readsOldState: { available: boolean };
}

/** By what is remembered of nodes that do not answer a way's question. */
const NEEDS: Readonly<Record<HistoryWay, (height: number) => Need>> = {
  ranges: (height) => ({ what: 'logs of a range', height }),
  receipts: needOfReceipts,
  addresses: (height) => ({ what: 'logs of named contracts', height }),
  transactions: needOfEachReceipt,
};
/** Ranges that are not longer are not worth their question: receipts say all of a block in one, too. */
const SHORT_RANGE = 2;
/** After so many answers in a row in which a node contradicts itself its logs are no longer asked for. */
const CONTRADICTIONS = 2;
/** So often a node that has not come to a block is asked again before another way is tried. */
const FEW_PAUSES = 4;
/** After so many single blocks in a row that a node finds too large, it is one that gives no logs. */
const REFUSED_BLOCKS = 3;

/**
 * Fetches ranges of history in parallel, from several nodes where there are, and hands them out in order. What waits to be
 * published is bounded; the size of a range follows what a block holds. Stops when its signal does.
 */
export class HistoryFetcher {
  private readonly ranges: OrderedPrefetch<FetchedRange[]>;
  private next: number;
  private size: number;
  /** Answers in a row in which a node contradicted itself. */
  private readonly contradictions = new Map<number, number>();
  /** Answers in a row in which a node found the logs of a single block too large. */
  private readonly refusedBlocks = new Map<number, number>();

  constructor(
    private readonly deps: HistoryDeps,
    from: number,
    private readonly to: number,
    private readonly signal: AbortSignal,
  ) {
    this.next = from;
    this.size = deps.options.firstRange;
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
    const need = { what: 'calls' };
    return this.deps.rpc.use((endpoint) => this.discoverOnce(endpoint, blocks), this.signal, need);
  }

  private async discoverOnce(endpoint: RpcEndpoint, blocks: FetchedRange): Promise<Discovery> {
    const { known, discoverer, readsOldState } = this.deps;
    const { signal } = this;
    const to = blocks.at(-1)!.header.height;
    const anchor = readsOldState.available;
    const readState: DiscoveryRequest['readState'] = (task, height) =>
      this.deps.rpc.use(task, signal, { what: 'state', height });
    const knownHeight = Number.POSITIVE_INFINITY;
    const request = { endpoint, blocks, known, knownHeight, at: 'latest', anchor, readState, signal };
    const discovery = await discoverer.discover({ ...request, waiting: [], unfinished: [] });
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

  /** One range by the first way that a node has; in halves where a node cannot give it as it is. */
  private async fetch(from: number, to: number): Promise<FetchedRange[]> {
    let failure: RpcError | null = null;
    const ways = this.ways();
    for (const way of ways) {
      const need = NEEDS[way](from);
      // Another way may have nodes that have come to the block.
      const options = way === ways.at(-1) ? { spread: true } : { spread: true, pauses: FEW_PAUSES };
      try {
        const range = await this.deps.rpc.use((node) => this.fetchBy(way, node, from, to), this.signal, need, options);
        this.adapt(to - from + 1, countLogs(range));
        return [range];
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.kind === 'too-large' && from < to) {
          const middle = from + Math.floor((to - from + 1) / 2) - 1;
          return [...(await this.fetch(from, middle)), ...(await this.fetch(middle + 1, to))];
        }
        if (!error.saysLack && error.kind !== 'too-large') throw error;
        failure ??= error;
      }
    }
    throw failure!;
  }

  private ways(): readonly HistoryWay[] {
    const { options, rpc, reading } = this.deps;
    if (options.way !== 'auto') return [options.way];
    const widest = Math.max(...rpc.endpoints.map((endpoint) => endpoint.sizeOf('log blocks').size));
    const ways = widest > SHORT_RANGE ? HISTORY_WAYS : (['receipts', 'ranges', 'addresses', 'transactions'] as const);
    // Without a bloom nothing would show logs of contracts that are not named yet.
    return reading.blooms ? ways : ways.filter((way) => way !== 'addresses');
  }

  private async fetchBy(way: HistoryWay, endpoint: RpcEndpoint, from: number, to: number): Promise<FetchedRange> {
    const { reading, emitters } = this.deps;
    if (way === 'receipts') return fetchByReceipts(endpoint, from, to, reading, this.signal);
    if (way === 'transactions') return fetchSingly(endpoint, from, to, reading, this.signal);
    if (this.deps.liars.has(endpoint.index) || (this.contradictions.get(endpoint.index) ?? 0) >= CONTRADICTIONS)
      return fetchProven(endpoint, from, to, reading, this.signal);
    const addresses = way === 'addresses' ? { address: emitters.all() } : null;
    try {
      const blocks = await this.fetchLogs(endpoint, from, to, addresses);
      await this.checkSamples(endpoint, blocks);
      this.contradictions.delete(endpoint.index);
      this.refusedBlocks.delete(endpoint.index);
      return blocks;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.kind === 'inconsistent-response') countIn(this.contradictions, endpoint.index);
      const isSmallest = from === to || endpoint.sizeOf('log blocks').size <= 1;
      if (error.kind !== 'too-large' || !isSmallest) throw error;
      // Another node or another way has what this one finds too large; of a block that is rare nothing follows for others.
      if (countIn(this.refusedBlocks, endpoint.index) < REFUSED_BLOCKS) throw new NotHere(error);
      throw endpoint.error('plan', `gives no logs of a single block: ${error.message}`);
    }
  }

  private fetchLogs(
    endpoint: RpcEndpoint,
    from: number,
    to: number,
    addresses: { readonly address: readonly string[] } | null,
  ): Promise<FetchedRange> {
    const { reading, observer } = this.deps;
    const { topics, blooms } = reading;
    const heard = addresses === null ? undefined : (logs: LogSlice) => this.deps.emitters.heard(logs);
    return fetchRange(
      endpoint,
      from,
      to,
      {
        topics,
        // Where the bloom says nothing, logs of other topics would only cost.
        whole: blooms || addresses !== null,
        filter: addresses ?? (blooms ? {} : { topics: [topics.all] }),
        heard,
        // By any node that has it: the others of the range need not be asked for again.
        again: (header) =>
          this.deps.rpc.use(
            (node) => fetchWhole(node, header, { ...reading, heard }, this.signal),
            this.signal,
            needOfReceipts(header.height),
          ),
        onGaps: (node, gaps) => {
          if (addresses !== null) return;
          const error = node.error('incomplete', `left out logs of ${gaps} of the blocks ${from} to ${to}`);
          this.deps.rpc.learn(node, error, NEEDS.ranges(from));
          observer.gaps?.(gaps, error.message);
          this.deps.onGaps(node);
        },
      },
      this.signal,
    );
  }

  /**
   * Some of the blocks that are not proven whole, each with the same chance, against all their receipts. Where they differ, the
   * node that gave the logs is wrong: the receipts are those of the header.
   */
  private async checkSamples(endpoint: RpcEndpoint, blocks: FetchedRange): Promise<void> {
    const { reading, options, liars } = this.deps;
    if (options.sampleEvery <= 0 || reading.proof === null) return;
    for (const { header, logs, proof: proven } of blocks) {
      if (proven === 'full' || Math.random() * options.sampleEvery >= 1) continue;
      const whole = await this.byReceipts(header);
      if (whole === null) continue;
      if (sameLogs(whole.logs.toArray(), logs.toArray())) continue;
      liars.add(endpoint.index);
      throw endpoint.error('inconsistent-response', `logs of block ${header.height} differ from its receipts`);
    }
  }

  /** A block by all its receipts; null where no node gives any, which the status says. */
  private async byReceipts(header: Header): Promise<RawBlock | null> {
    const { rpc, reading } = this.deps;
    const need = needOfEachReceipt(header.height);
    if (rpc.usable.every((node) => rpc.isLacking(node, need))) return null;
    try {
      return await rpc.use(
        (node) => byReceipts(node, header, { ...reading, everyReceipt: true }, 'history', this.signal),
        this.signal,
        need,
      );
    } catch (error) {
      if (error instanceof RpcError && error.saysLack && error.kind !== 'head-not-reached') return null;
      throw error;
    }
  }

  private adapt(blocks: number, logs: number): void {
    const { logsPerRange, maxRange } = this.deps.options;
    const factor = Math.min(2, Math.max(0.5, logsPerRange / Math.max(logs, 1)));
    // Only full-sized ranges say something about the size; the last one of a run is short.
    if (blocks < this.size && factor > 1) return;
    this.size = Math.max(1, Math.min(maxRange, Math.round(blocks * factor)));
  }
}

/** One more of a node; returns how many. */
function countIn(counts: Map<number, number>, node: number): number {
  const count = (counts.get(node) ?? 0) + 1;
  counts.set(node, count);
  return count;
}

function countLogs(blocks: readonly RawBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.logs.length, 0);
}
