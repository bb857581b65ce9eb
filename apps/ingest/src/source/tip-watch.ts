import type { JsonRpcEndpoint } from '#libs/chain/chains/rpc/endpoint.js';
import type { NodePool } from '#libs/chain/chains/rpc/node-pool.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { BlockRef, SourceObserver } from '#libs/chain/chains/source-port.js';

export interface TipWatchOptions {
  /** Pause between looks at the tip without a live subscription, and with one. */
  pollMs: number;
  streamPollMs: number;
  /** A block is not expected sooner than this after the one before it: so long nothing is looked for. */
  restMs?: number;
  /** A head older than this is compared with the other nodes. */
  staleMs: number;
}

const LOST_BRANCH_LIMIT = 8;

/**
 * Says when to look at the tip again, and notices nodes that stopped following the chain: when nothing new came for too
 * long and another node is ahead, the present one is sent to cool down, with all that are no further. Invariant: a node that
 * was found so is not waited for again until its head has moved.
 */
export abstract class TipWatch<E extends JsonRpcEndpoint> {
  private wake: (() => void) | null = null;
  private pending = false;
  private newest = -1;
  /** What the present node said last; another one may have been ahead before. */
  private said = -1;
  protected lastNews = performance.now();
  private current: E | null = null;
  /** Heads of nodes that were found behind the others. */
  private readonly stuck = new Map<E, number>();
  private lost = 0;

  constructor(
    private readonly rpc: NodePool<E>,
    protected readonly options: TipWatchOptions,
    private readonly observer: SourceObserver,
  ) {}

  /** The pause until the next look, when nothing is announced before. */
  protected abstract pause(): number;

  /** The newest height of a node. */
  protected abstract heightOf(endpoint: E, signal: AbortSignal): Promise<number>;

  answered(endpoint: E): void {
    this.current = endpoint;
  }

  saw(tip: number, published: BlockRef): void {
    this.lost = 0;
    this.said = tip;
    if (this.current !== null && tip < published.height && this.isStuck(this.current, tip)) {
      this.leave(this.current, tip, published.height);
      return;
    }
    if (tip <= this.newest && tip <= published.height) return;
    this.newest = tip;
    this.lastNews = performance.now();
  }

  /** Waits for an announced head or the next look, and checks for staleness on the way. */
  async wait(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.lastNews > this.options.staleMs && (await this.leavesStaleNode(signal))) return;
    await this.sleep(this.pause(), signal);
  }

  /** The node forgot a branch while it was read. Normal in a reorganization; a node that keeps doing it is changed. */
  async lostBranch(error: RpcError, signal: AbortSignal): Promise<void> {
    if (++this.lost > LOST_BRANCH_LIMIT && this.current) {
      this.lost = 0;
      this.rpc.blame(this.current, new RpcError('server', error.message));
    }
    await this.sleep(Math.min(this.options.pollMs, 500), signal);
  }

  /** Something was announced: ends the present wait, or the next one. */
  protected wakeUp(): void {
    this.pending = true;
    this.wake?.();
  }

  private isStuck(endpoint: E, tip: number): boolean {
    const at = this.stuck.get(endpoint);
    if (at === undefined || tip <= at) return at !== undefined;
    this.stuck.delete(endpoint);
    return false;
  }

  private leave(endpoint: E, own: number, other: number): void {
    this.stuck.set(endpoint, own);
    const error = endpoint.error('server', `stale head ${own}, another node is at ${other}`);
    this.rpc.blame(endpoint, error, this.options.staleMs);
  }

  /** Whether another node is ahead, which is used from now on. */
  private async leavesStaleNode(signal: AbortSignal): Promise<boolean> {
    this.lastNews = performance.now();
    this.observer.state?.('waiting');
    if (this.current === null) return false;
    const heads = new Map<E, number>([[this.current, this.said]]);
    for (const endpoint of this.rpc.usable) {
      if (endpoint === this.current || endpoint.coolUntil > performance.now()) continue;
      try {
        heads.set(endpoint, await this.heightOf(endpoint, signal));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.blamesNode) this.rpc.blame(endpoint, error);
      }
    }
    const highest = Math.max(...heads.values());
    if (highest <= this.said) return false;
    for (const [endpoint, head] of heads) if (head <= this.said) this.leave(endpoint, head, highest);
    return true;
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
}
