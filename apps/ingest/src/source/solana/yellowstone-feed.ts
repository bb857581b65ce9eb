import { PushQueue } from '#libs/chain/chains/rpc/push-queue.js';
import type { SocketProblem } from '#libs/chain/chains/rpc/subscription-socket.js';
import { readUpdate } from '#libs/chain/chains/solana/geyser/geyser-update.js';
import { KeyTexts } from '#libs/chain/chains/solana/geyser/key-texts.js';
import type { BlockFeed, RawBlockPush } from '#libs/chain/chains/solana/rpc/block-feed.js';
import { GeyserStream } from './geyser-stream.js';

/**
 * The head of a chain from a Yellowstone gRPC endpoint: confirmed blocks, whole and decoded. One stream at a time, the
 * endpoints taking turns on failure with growing pauses. Invariant: a `gap` is before the first block of every stream
 * and wherever blocks had to be dropped, so that between two gaps no block of a stream is missing.
 */
export interface YellowstoneOptions {
  urls: readonly string[];
  retryMs?: number;
  maxRetryMs?: number;
  /** How often the endpoint is asked for a sign of life, and how long it may give none. */
  pingMs?: number;
  silenceMs?: number;
  /** Most blocks that wait for a reader that is slow. */
  maxWaiting?: number;
}

const MOST_WAITING = 256;

export class YellowstoneFeed implements BlockFeed {
  readonly urls: readonly string[];
  private readonly texts = new KeyTexts();
  private readonly problems = new Map<string, SocketProblem>();
  private readonly queue: PushQueue<RawBlockPush>;
  private stream: GeyserStream | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private turn = 0;
  private closed = false;
  private isLive = false;

  constructor(private readonly options: YellowstoneOptions) {
    this.urls = options.urls;
    this.queue = new PushQueue(options.maxWaiting ?? MOST_WAITING, { kind: 'gap' });
  }

  get live(): 'blocks' | null {
    return this.isLive ? 'blocks' : null;
  }

  problemOf(url: string): SocketProblem | null {
    return this.problems.get(url) ?? null;
  }

  blocks(signal: AbortSignal): AsyncIterable<RawBlockPush> {
    signal.addEventListener('abort', () => this.close(), { once: true });
    if (signal.aborted) this.close();
    else this.connect();
    return this.queue.read(signal);
  }

  close(): void {
    this.closed = true;
    this.isLive = false;
    if (this.timer) clearTimeout(this.timer);
    this.stream?.close();
    this.stream = null;
    this.queue.end();
  }

  private connect(): void {
    const { urls, pingMs = 10_000, silenceMs = 30_000 } = this.options;
    const url = urls[this.turn++ % urls.length];
    if (url === undefined || this.closed) return;
    const stream: GeyserStream = new GeyserStream({
      ...{ url, pingMs, silenceMs },
      onMessage: (bytes) => {
        if (this.stream === stream) this.receive(bytes, url);
      },
      onEnd: (message) => {
        if (this.stream === stream) this.lost(url, message);
      },
    });
    this.stream = stream;
    stream.open();
  }

  /** Throws for a message that cannot be read, which ends the stream. */
  private receive(bytes: Buffer, url: string): void {
    const observedAt = Date.now();
    const update = readUpdate(bytes, this.texts);
    if (!this.isLive) {
      // The endpoint says something: the subscription is open.
      this.isLive = true;
      this.attempts = 0;
      this.problems.delete(url);
      this.queue.push({ kind: 'gap' });
    }
    if (update.kind === 'ping') this.stream?.ping();
    else if (update.kind === 'block') this.queue.push({ kind: 'block', block: update.block, observedAt });
    else if (update.kind === 'part') this.queue.push({ kind: 'slot', slot: update.slot });
  }

  private lost(url: string, message: string): void {
    this.stream = null;
    this.problems.set(url, { message, at: Date.now() });
    if (this.isLive) this.queue.push({ kind: 'gap' });
    this.isLive = false;
    const { retryMs = 500, maxRetryMs = 30_000 } = this.options;
    const pause = Math.min(retryMs * 2 ** Math.min(this.attempts++, 8), maxRetryMs);
    this.timer = setTimeout(() => this.connect(), pause);
    this.timer.unref();
  }
}
