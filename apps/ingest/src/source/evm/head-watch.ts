import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { HeadSubscription } from '#libs/chain/chains/evm/rpc/head-subscription.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { idOf } from '#libs/chain/chains/evm/words.js';
import type { SocketProblem } from '#libs/chain/chains/rpc/subscription-socket.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import { TipWatch, type TipWatchOptions } from '../tip-watch.js';

const REMEMBERED_HASHES = 256;

/** Watches the tip of an EVM chain with the help of announced heads. */
export class EvmHeadWatch extends TipWatch<RpcEndpoint> {
  private readonly subscription: HeadSubscription;
  private readonly hashes = new Set<string>();
  /** Announced last, and not asked for yet. */
  private lastAnnounced: string | null = null;
  private lookedAt = performance.now();

  constructor(rpc: RpcPool, urls: readonly string[], options: TipWatchOptions, observer: SourceObserver) {
    super(rpc, options, observer);
    this.subscription = new HeadSubscription({
      urls,
      silenceMs: Math.max(options.staleMs, 10_000),
      onHead: (hash) => {
        if (hash !== null) this.remember(idOf(hash));
        this.wakeUp();
      },
    });
  }

  /** True when the subscription announced this block. */
  announced(hash: string): boolean {
    return this.hashes.has(hash);
  }

  /** The block that was announced since the last look, newest. It may be any block: nothing follows from it alone. */
  takeAnnounced(): string | null {
    const { lastAnnounced } = this;
    this.lastAnnounced = null;
    return lastAnnounced;
  }

  override answered(endpoint: RpcEndpoint): void {
    super.answered(endpoint);
    this.lookedAt = performance.now();
  }

  /** What is wrong with a URL that announces heads; null when nothing is. */
  socketProblem(url: string): SocketProblem | null {
    return this.subscription.problemOf(url);
  }

  close(): void {
    this.subscription.close();
  }

  /** Until the next look is due, whatever was done with a block since the last one. */
  protected pause(): number {
    const { streamPollMs, pollMs, restMs = 0 } = this.options;
    const now = performance.now();
    const next = this.subscription.live
      ? this.lookedAt + streamPollMs
      : Math.max(this.lookedAt + pollMs, this.lastNews + restMs);
    return Math.max(0, next - now);
  }

  protected async heightOf(endpoint: RpcEndpoint, signal: AbortSignal): Promise<number> {
    return Number(await endpoint.call<string>('eth_blockNumber', [], signal));
  }

  private remember(hash: string): void {
    this.hashes.add(hash);
    this.lastAnnounced = hash;
    if (this.hashes.size > REMEMBERED_HASHES) this.hashes.delete(this.hashes.values().next().value!);
  }
}
