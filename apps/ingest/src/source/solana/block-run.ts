import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { isMissing, type SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { OrderedPrefetch } from '../ordered-prefetch.js';
import type { ReadBlock, ReadOne } from './block-reader.js';
import type { SolanaBranch } from './branch.js';

export interface BlockRunOptions {
  /** Blocks asked for at the same time. */
  parallel: number;
  /** Of these, how many a node is asked for before the next node in the order of preference is asked as well. */
  perNode: number;
  /** Bytes of answers that may wait, fetched but not published. */
  maxWaitingBytes: number;
  /** Slots that are listed with one question. */
  slotsPerList: number;
  /** Blocks that are handed out together at most. */
  maxBatch: number;
}

/** What a block is taken to weigh before any was seen. */
const FIRST_GUESS_BYTES = 4 * 1024 * 1024;

/**
 * The blocks of a branch from its first on, up to a slot: lists slots that hold blocks, fetches these in parallel and
 * hands them out in order. Blocks go to the first node until it has enough of them, then to the next. A list is completed
 * by that of another node, where there is one: a block that the first one left out is asked for as well. Whether each block
 * continues the one before is for its reader to check. Ends early where a block that was listed is not to be had any more.
 */
export class BlockRun {
  private readonly blocks: OrderedPrefetch<ReadBlock | 'gone' | 'never'>;
  private readonly slots: number[];
  private readonly asked = new Map<SolanaEndpoint, number>();
  /** Nodes that lack blocks of this run. */
  private readonly lacking = new Set<SolanaEndpoint>();
  /** Slots that only another node listed: it may be wrong about them. */
  private readonly claimed = new Set<number>();
  private first: ReadBlock | null;
  private started = false;
  private listedTo: number;
  private slotsPerList: number;
  private meanBytes: number;

  constructor(
    private readonly rpc: SolanaPool,
    private readonly read: ReadOne,
    private readonly options: BlockRunOptions & { readonly completesLists: boolean },
    private readonly branch: SolanaBranch,
    private readonly to: number,
    private readonly signal: AbortSignal,
  ) {
    this.first = branch.first;
    this.slots = branch.slots.filter((slot) => slot <= to);
    this.listedTo = branch.slots.at(-1) ?? branch.first.block.slot;
    this.slotsPerList = options.slotsPerList;
    this.meanBytes = Math.max(branch.first.bytes, FIRST_GUESS_BYTES / 64);
    this.blocks = new OrderedPrefetch({
      parallel: options.parallel,
      maxWaiting: options.maxWaitingBytes,
      expected: () => this.meanBytes,
      weigh: (fetched) => (typeof fetched === 'string' ? 0 : fetched.bytes),
      next: () => this.next(),
    });
  }

  /** The next blocks: as many as are there without waiting, but at least one. Null at the end. */
  async take(): Promise<ReadBlock[] | null> {
    const taken: ReadBlock[] = [];
    do {
      await this.list();
      const fetched = await this.blocks.take();
      if (fetched === 'never') continue;
      if (fetched === null || fetched === 'gone') break;
      this.meanBytes += (fetched.bytes - this.meanBytes) / 16;
      taken.push(fetched);
    } while (taken.length === 0 || (taken.length < this.options.maxBatch && this.blocks.ready));
    return taken.length > 0 ? taken : null;
  }

  private next(): Promise<ReadBlock | 'gone' | 'never'> | null {
    const { first } = this;
    // Another node may list blocks below it.
    if (first !== null && (this.slots[0] ?? first.block.slot) >= first.block.slot) {
      this.first = null;
      return Promise.resolve(first);
    }
    const slot = this.slots.shift();
    return slot === undefined ? null : this.fetch(slot);
  }

  /** Where no node has it, it was reorganized meanwhile, or never there. */
  private async fetch(slot: number): Promise<ReadBlock | 'gone' | 'never'> {
    const free = this.free();
    const early = free && (await this.ofNode(free, slot));
    if (early) return early;
    try {
      return await this.rpc.useAny((endpoint) => this.read(endpoint, slot), this.signal, {
        what: 'blocks',
        height: slot,
      });
    } catch (error) {
      if (isMissing(error) && error.kind === 'unknown-block') return this.claimed.has(slot) ? 'never' : 'gone';
      throw error;
    }
  }

  /** Null where this node fails: then any other may have the block. */
  private async ofNode(node: SolanaEndpoint, slot: number): Promise<ReadBlock | null> {
    this.asked.set(node, (this.asked.get(node) ?? 0) + 1);
    try {
      return await this.rpc.on(node, (endpoint) => this.read(endpoint, slot), this.signal);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (isMissing(error)) this.lacking.add(node);
      return null;
    } finally {
      this.asked.set(node, this.asked.get(node)! - 1);
    }
  }

  /** A node besides the first ones that are busy; null where the order of preference is all there is to go by. */
  private free(): SolanaEndpoint | null {
    const now = performance.now();
    for (const endpoint of this.rpc.usable) {
      if (endpoint.coolUntil > now || this.lacking.has(endpoint)) continue;
      if ((this.asked.get(endpoint) ?? 0) < this.options.perNode) return endpoint;
    }
    return null;
  }

  /** Keeps the list longer than what is asked for at the same time. */
  private async list(): Promise<void> {
    if (!this.started) {
      this.started = true;
      const { first } = this.branch;
      const node = this.rpc.endpoints[first.node]!;
      const slots = await this.completed(
        node,
        this.slots.splice(0),
        this.branch.ancestor.height + 1,
        Math.min(this.listedTo, this.to),
      );
      this.slots.push(...slots.filter((slot) => slot !== first.block.slot));
    }
    while (this.slots.length <= this.options.parallel && this.listedTo < this.to) {
      const from = this.listedTo + 1;
      const to = Math.min(this.to, this.listedTo + this.slotsPerList);
      this.slots.push(...(await this.listed(from, to)));
      this.listedTo = to;
    }
  }

  /** The slots of blocks in the words of one node, with those that another one lists besides. */
  private async listed(from: number, to: number): Promise<number[]> {
    const { signal } = this;
    const need = { what: 'slots', height: from };
    const asked = await this.rpc.use(
      async (node) => ({ node, slots: await node.blocksIn(from, to, signal) }),
      signal,
      need,
    );
    return this.completed(asked.node, asked.slots, from, to);
  }

  private async completed(
    node: SolanaEndpoint,
    listed: readonly number[],
    from: number,
    to: number,
  ): Promise<number[]> {
    const slots = new Set(listed);
    const others = this.options.completesLists && from <= to ? await this.alsoListed(node, from, to) : [];
    for (const slot of others) {
      if (!slots.has(slot)) this.claimed.add(slot);
      slots.add(slot);
    }
    return [...slots].sort((a, b) => a - b);
  }

  private async alsoListed(first: SolanaEndpoint, from: number, to: number): Promise<number[]> {
    const now = performance.now();
    const other = this.rpc.usable.find((each) => each !== first && each.coolUntil <= now && !this.lacking.has(each));
    if (other === undefined) return [];
    try {
      return await this.rpc.on(other, (node) => node.blocksIn(from, to, this.signal), this.signal);
    } catch (error) {
      if (error instanceof RpcError) return [];
      throw error;
    }
  }
}
