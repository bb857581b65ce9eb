import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { HeadSubscription } from '#libs/chains/evm/rpc/head-subscription.js';
import { RpcError } from '#libs/chains/evm/rpc/rpc-error.js';
import type { RpcPool } from '#libs/chains/evm/rpc/rpc-pool.js';
import { idOf } from '#libs/chains/evm/words.js';
import type { SocketProblem } from '#libs/chains/rpc/subscription-socket.js';
import type { BlockRef, SourceObserver } from '#libs/chains/source-port.js';

export interface HeadWatchOptions {
  /** Pause between looks at the tip without a live subscription, and with one. */
  pollMs: number;
  streamPollMs: number;
  /** A head older than this is compared with the other nodes. */
  staleMs: number;
}

const LOST_BRANCH_LIMIT = 8;
const REMEMBERED_HASHES = 256;

/**
 * Says when to look at the tip again, and notices a node that stopped following the chain: when nothing new came for too
 * long and another node is ahead, the present one is sent to cool down.
 */
export class HeadWatch {
  private readonly subscription: HeadSubscription;
  private readonly hashes = new Set<string>();
  private wake: (() => void) | null = null;
  private pending = false;
  private newest: BlockRef | null = null;
  private lastNews = Date.now();
  private current: RpcEndpoint | null = null;
  private lost = 0;

  constructor(
    private readonly rpc: RpcPool,
    urls: readonly string[],
    private readonly options: HeadWatchOptions,
    private readonly observer: SourceObserver,
  ) {
    this.subscription = new HeadSubscription({
      urls,
      silenceMs: Math.max(options.staleMs, 10_000),
      onHead: (hash) => {
        if (hash !== null) this.remember(idOf(hash));
        this.pending = true;
        this.wake?.();
      },
    });
  }

  /** True when the subscription told of this block. */
  announced(hash: string): boolean {
    return this.hashes.has(hash);
  }

  /** What is wrong with a URL that announces heads; null when nothing is. */
  socketProblem(url: string): SocketProblem | null {
    return this.subscription.problemOf(url);
  }

  answered(endpoint: RpcEndpoint): void {
    this.current = endpoint;
  }

  saw(tip: BlockRef, published: BlockRef): void {
    this.lost = 0;
    const news = this.newest === null || tip.height > this.newest.height || published.height < tip.height;
    if (!news) return;
    this.newest = tip;
    this.lastNews = Date.now();
  }

  /** Waits for an announced head or the next look, and checks for staleness on the way. */
  async wait(signal: AbortSignal): Promise<void> {
    if (Date.now() - this.lastNews > this.options.staleMs && (await this.leavesStaleNode(signal))) return;
    const pause = this.subscription.live ? this.options.streamPollMs : this.options.pollMs;
    await this.sleep(pause, signal);
  }

  /** The node forgot a branch while it was read. Normal in a reorganization; a node that keeps doing it is changed. */
  async lostBranch(error: RpcError, signal: AbortSignal): Promise<void> {
    if (++this.lost > LOST_BRANCH_LIMIT && this.current) {
      this.lost = 0;
      this.rpc.blame(this.current, new RpcError('server', error.message));
    }
    await this.sleep(Math.min(this.options.pollMs, 500), signal);
  }

  close(): void {
    this.subscription.close();
  }

  private async leavesStaleNode(signal: AbortSignal): Promise<boolean> {
    this.lastNews = Date.now();
    this.observer.state?.('waiting');
    const own = this.newest?.height ?? -1;
    for (const endpoint of this.rpc.endpoints) {
      if (endpoint === this.current || endpoint.disabled !== null || endpoint.coolUntil > Date.now()) continue;
      try {
        const height = Number(await endpoint.call<string>('eth_blockNumber', [], signal));
        if (height > own && this.current) {
          const error = this.current.error('server', `stale head ${own}, another node is at ${height}`);
          this.rpc.blame(this.current, error, this.options.staleMs);
          return true;
        }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.blamesNode) this.rpc.blame(endpoint, error);
      }
    }
    return false;
  }

  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.pending) {
      this.pending = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.wake = null;
        this.pending = false;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
    signal.throwIfAborted();
  }

  private remember(hash: string): void {
    this.hashes.add(hash);
    if (this.hashes.size > REMEMBERED_HASHES) this.hashes.delete(this.hashes.values().next().value!);
  }
}
