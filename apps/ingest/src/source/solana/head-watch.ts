import type { BlockFeed, RawBlockPush } from '#libs/chain/chains/solana/rpc/block-feed.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { NodeBlock } from '#libs/chain/chains/solana/rpc/node-block.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { BlockRef, SourceObserver } from '#libs/chain/chains/source-port.js';
import { TipWatch, type TipWatchOptions } from '../tip-watch.js';
import { follows } from './branch.js';

export interface PushedBlock {
  readonly block: NodeBlock;
  readonly observedAt: number;
}

/** Pushed blocks that may wait for the ones before them. */
const MOST_WAITING = 32;

/**
 * Watches the tip of a Solana chain, and holds what a feed pushes until it continues the published chain. A pushed block
 * that does not, and every gap of the feed, asks for a look at what the nodes say.
 */
export class SolanaHeadWatch extends TipWatch<SolanaEndpoint> {
  private readonly abort = new AbortController();
  /** By hash, oldest first. */
  private readonly waiting = new Map<string, PushedBlock>();
  /** Hashes of those that made the nodes be asked already. */
  private readonly considered = new Set<string>();
  private failure: unknown = null;
  private trusts = true;
  /** What is pushed is of use; far behind the tip it is not. */
  private near = true;
  private news = true;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    rpc: SolanaPool,
    private readonly feed: BlockFeed,
    options: TipWatchOptions,
    observer: SourceObserver,
  ) {
    super(rpc, options, observer);
    void this.read();
  }

  /** The pushed block that goes right after the published head, once. */
  next(head: BlockRef): PushedBlock | null {
    for (const [hash, pushed] of this.waiting) {
      if (!follows(pushed.block, head)) continue;
      this.drop(hash);
      return pushed;
    }
    for (const [hash, { block }] of this.waiting) {
      if (!this.considered.has(hash) && hash !== head.hash) this.news = true;
      this.considered.add(hash);
      if (block.slot <= head.height) this.drop(hash);
    }
    return null;
  }

  /** Whether the nodes are to be asked: something was announced that does not fit, or the last look is long ago. */
  dueLook(): boolean {
    if (this.failure !== null) throw this.failure;
    return this.news || performance.now() - this.lookedAt >= this.pause();
  }

  looked(near: boolean): void {
    this.news = false;
    this.lookedAt = performance.now();
    this.near = near;
    if (near) return;
    this.waiting.clear();
    this.considered.clear();
  }

  /** Ends the present wait: there is something to be done. */
  poke(): void {
    this.wakeUp();
  }

  /** Whether pushed blocks are used; otherwise each is only news, and the nodes are asked. */
  trust(pushes: boolean): void {
    this.trusts = pushes;
    if (!pushes) this.waiting.clear();
  }

  /** The nodes are to be asked, whatever was announced. */
  look(): void {
    this.news = true;
  }

  close(): void {
    this.abort.abort();
    this.feed.close();
  }

  protected pause(): number {
    const { streamPollMs, pollMs } = this.options;
    return this.feed.live === 'blocks' && this.waiting.size === 0 ? streamPollMs : pollMs;
  }

  protected heightOf(endpoint: SolanaEndpoint, signal: AbortSignal): Promise<number> {
    return endpoint.confirmedSlot(signal);
  }

  private async read(): Promise<void> {
    try {
      for await (const push of this.feed.blocks(this.abort.signal)) this.take(push);
    } catch (error) {
      this.failure = error;
      this.wakeUp();
    }
  }

  private take(push: RawBlockPush): void {
    if (push.kind !== 'block' || !this.trusts) this.news = true;
    else if (this.near) {
      this.waiting.set(push.block.hash, push);
      if (this.waiting.size > MOST_WAITING) this.drop(this.waiting.keys().next().value!);
    }
    this.wakeUp();
  }

  private drop(hash: string): void {
    this.waiting.delete(hash);
    this.considered.delete(hash);
  }
}
