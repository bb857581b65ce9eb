import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { OutFrame, Outlet } from '#libs/live/outlet.js';
import type { TransportCounters } from './transport-counters.js';
import type { FramedText, WebSocketFrames } from './web-socket-frames.js';
import type { Unwritten, WriteRound } from './write-round.js';

/**
 * Frames of this size on are compressed where the client offers it: snapshots shrink to a fifth. Deltas are small and
 * go to many at once; compressing them would cost more than it saves.
 */
export const COMPRESS_FROM = 4_096;

/** As much of a turn's frames waits for its end; what is more is written at once. */
const MOST_UNWRITTEN = 16 * 1024;

const LOOK_AGAIN_MS = 50;

/**
 * One WebSocket as the engine sees it. What the client does not read is counted and never waited for.
 * Invariant: frames leave in the order in which they were sent. Those of a turn are written together, around the package ws, except
 * while it compresses: then everything goes through its queue.
 */
export class SocketOutlet implements Outlet, Unwritten {
  /** Called when nothing waits to be written any more. */
  onDrained: () => void = () => undefined;
  private looking: NodeJS.Timeout | undefined;
  private unwritten: Buffer[] = [];
  private unwrittenBytes = 0;
  /** Frames that the package ws has and has not written yet. */
  private compressing = 0;
  private readonly compresses: boolean;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly frames: WebSocketFrames,
    private readonly round: WriteRound,
    private readonly counters: TransportCounters,
  ) {
    this.compresses = socket.extensions.includes('permessage-deflate');
  }

  send(frame: OutFrame): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const text = this.frames.of(frame);
    this.counters.framesOut++;
    this.counters.bytesOut += text.payload.length;
    const compress = this.compresses && text.payload.length >= COMPRESS_FROM;
    if (compress || this.compressing > 0) this.queue(text, compress);
    else this.hold(text.whole);
  }

  /** Of what waits for the end of this turn nothing is counted: it is little, and the kernel was not asked yet. */
  bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  end(code: number, reason: string): void {
    this.flush();
    this.socket.close(code, reason);
  }

  flush(): void {
    const { unwritten, socket } = this;
    if (unwritten.length === 0) return;
    const [only] = unwritten;
    const bytes = unwritten.length === 1 ? only! : this.frames.join(unwritten);
    // Joined pieces are remembered: the next turn's are others.
    if (unwritten.length === 1) unwritten.length = 0;
    else this.unwritten = [];
    this.unwrittenBytes = 0;
    if (socket.readyState === socket.OPEN) this.stream.write(bytes);
  }

  /**
   * The stream tells when it has drained, but only after it was full; what a compressor held back may have passed
   * through it in small pieces.
   */
  readonly look = (): void => {
    clearTimeout(this.looking);
    if (this.socket.bufferedAmount === 0) this.onDrained();
    else if (!this.stream.writableNeedDrain) this.looking = setTimeout(this.look, LOOK_AGAIN_MS).unref();
  };

  private hold(bytes: Buffer): void {
    if (this.unwritten.length === 0) this.round.add(this);
    this.unwritten.push(bytes);
    this.unwrittenBytes += bytes.length;
    if (this.unwrittenBytes >= MOST_UNWRITTEN) this.flush();
  }

  /** A compressed frame reaches the connection later and in pieces: only its own end says that it is written. */
  private queue({ payload }: FramedText, compress: boolean): void {
    this.flush();
    this.compressing++;
    this.socket.send(payload, { binary: false, compress }, () => {
      this.compressing--;
      this.look();
    });
  }
}
