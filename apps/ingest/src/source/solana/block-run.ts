import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { type FetchedBlock, isMissing } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { NodeBlock } from '#libs/chain/chains/solana/rpc/node-block.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { OrderedPrefetch } from '../ordered-prefetch.js';
import type { SolanaBranch } from './branch.js';

export interface BlockRunOptions {
  /** Blocks asked for at the same time. */
  parallel: number;
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
 * hands them out in order. Whether each continues the one before is for its reader to check. Ends early where a block that
 * was listed is not to be had any more.
 */
export class BlockRun {
  private readonly blocks: OrderedPrefetch<FetchedBlock | null>;
  private readonly slots: number[];
  private first: FetchedBlock | null;
  private listedTo: number;
  private slotsPerList: number;
  private meanBytes: number;

  constructor(
    private readonly rpc: SolanaPool,
    private readonly options: BlockRunOptions,
    branch: SolanaBranch,
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
      weigh: (fetched) => fetched?.bytes ?? 0,
      next: () => this.next(),
    });
  }

  /** The next blocks: as many as are there without waiting, but at least one. Null at the end. */
  async take(): Promise<NodeBlock[] | null> {
    const taken: NodeBlock[] = [];
    do {
      await this.list();
      const fetched = await this.blocks.take();
      if (fetched === null) break;
      this.meanBytes += (fetched.bytes - this.meanBytes) / 16;
      taken.push(fetched.block);
    } while (taken.length < this.options.maxBatch && this.blocks.ready);
    return taken.length > 0 ? taken : null;
  }

  private next(): Promise<FetchedBlock | null> | null {
    const { first } = this;
    if (first !== null) {
      this.first = null;
      return Promise.resolve(first);
    }
    const slot = this.slots.shift();
    return slot === undefined ? null : this.fetch(slot);
  }

  /** Null when no node has it: reorganized meanwhile. */
  private async fetch(slot: number): Promise<FetchedBlock | null> {
    try {
      return await this.rpc.useAny((endpoint) => endpoint.block(slot, this.signal), this.signal);
    } catch (error) {
      if (isMissing(error) && error.kind === 'unknown-block') return null;
      throw error;
    }
  }

  /** Keeps the list longer than what is asked for at the same time. */
  private async list(): Promise<void> {
    while (this.slots.length <= this.options.parallel && this.listedTo < this.to) {
      const from = this.listedTo + 1;
      const to = Math.min(this.to, this.listedTo + this.slotsPerList);
      try {
        this.slots.push(...(await this.rpc.use((endpoint) => endpoint.blocksIn(from, to, this.signal), this.signal)));
        this.listedTo = to;
      } catch (error) {
        if (!(error instanceof RpcError) || error.kind !== 'too-large' || this.slotsPerList === 1) throw error;
        this.slotsPerList = Math.ceil(this.slotsPerList / 2);
      }
    }
  }
}
