import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { OutFrame, Outlet } from '#libs/serve/live/outlet.js';
import type { TransportCounters } from './transport-counters.js';
import type { WebSocketFrames } from './web-socket-frames.js';
import type { Unwritten, WriteRound } from './write-round.js';

/**
 * Frames of this size on are compressed where the client offers it: snapshots shrink to a fifth. Deltas are small and
 * go to many at once; compressing them would cost more than it saves.
 */
const COMPRESS_FROM = 4_096;

/** As much waits for its write; several frames that are more are written at once. One of any size is the same bytes for everyone. */
const MOST_UNWRITTEN = 16 * 1024;

const LOOK_AGAIN_MS = 50;

interface Queued {
  readonly bytes: Buffer | Promise<Buffer>;
  readonly size: number;
}

/**
 * One WebSocket as the engine sees it. What the client does not read is counted and never waited for.
 * Invariant: frames leave in the order in which they were sent, those of a turn together, around the package ws. What is sent while a
 * frame is being compressed waits behind it.
 */
export class SocketOutlet implements Outlet, Unwritten {
  /** Called when nothing waits to be written any more. */
  onDrained: () => void = () => undefined;
  private looking: NodeJS.Timeout | undefined;
  /** Frames of this turn; most turns have one. */
  private first: Buffer | null = null;
  private more: Buffer[] | null = null;
  private unwrittenBytes = 0;
  /** The frame that is being compressed, and all that were sent after it. */
  private queued: Queued[] | null = null;
  private queuedBytes = 0;
  /** How the connection ends once nothing is queued. */
  private goodbye: { code: number; reason: string } | null = null;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly compresses: boolean,
    private readonly frames: WebSocketFrames,
    private readonly round: WriteRound,
    private readonly counters: TransportCounters,
  ) {}

  send(frame: OutFrame): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const text = this.frames.of(frame);
    const size = text.payload.length;
    this.counters.framesOut++;
    this.counters.bytesOut += size;
    const bytes = this.compresses && size >= COMPRESS_FROM ? this.frames.compressed(text) : text.whole;
    if (this.queued !== null || bytes instanceof Promise) this.queue(bytes, size);
    else this.hold(bytes);
  }

  /** Of what waits for the end of this turn nothing is counted: it is little, and the kernel was not asked yet. */
  bufferedBytes(): number {
    return this.socket.bufferedAmount + this.queuedBytes;
  }

  end(code: number, reason: string): void {
    if (this.queued !== null) {
      this.goodbye ??= { code, reason };
      return;
    }
    this.flush();
    this.socket.close(code, reason);
  }

  flush(): void {
    const { first, more, socket } = this;
    if (first === null) return;
    this.first = null;
    this.more = null;
    this.unwrittenBytes = 0;
    // Joined pieces are remembered: the next turn's are others.
    if (socket.readyState === socket.OPEN) this.stream.write(more === null ? first : this.frames.join(more));
  }

  /**
   * Says when nothing waits any more. The stream tells that it has drained only after it was full: frames that waited to be
   * compressed may leave without filling it, so this looks again until they are gone.
   */
  readonly look = (): void => {
    clearTimeout(this.looking);
    if (this.bufferedBytes() === 0) this.onDrained();
    else if (!this.stream.writableNeedDrain) this.looking = setTimeout(this.look, LOOK_AGAIN_MS).unref();
  };

  private hold(bytes: Buffer): void {
    if (this.first === null) {
      this.first = bytes;
      this.round.add(this);
    } else if (this.more === null) this.more = [this.first, bytes];
    else this.more.push(bytes);
    this.unwrittenBytes += bytes.length;
    if (this.more !== null && this.unwrittenBytes >= MOST_UNWRITTEN) this.flush();
  }

  private queue(bytes: Buffer | Promise<Buffer>, size: number): void {
    this.queuedBytes += size;
    if (this.queued !== null) {
      this.queued.push({ bytes, size });
      return;
    }
    this.queued = [{ bytes, size }];
    void this.release(this.queued);
  }

  /** Hands out what is queued, each when it is ready. */
  private async release(queued: Queued[]): Promise<void> {
    const { socket } = this;
    for (let next = queued[0]; next !== undefined; next = queued[0]) {
      const bytes = await next.bytes;
      queued.shift();
      this.queuedBytes -= next.size;
      if (socket.readyState === socket.OPEN) this.hold(bytes);
    }
    this.queued = null;
    if (this.goodbye !== null) this.end(this.goodbye.code, this.goodbye.reason);
    else this.look();
  }
}
