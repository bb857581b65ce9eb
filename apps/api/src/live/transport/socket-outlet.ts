import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { OutFrame, Outlet } from '#libs/live/outlet.js';
import type { EncodedFrames } from './encoded-frames.js';
import type { TransportCounters } from './transport-counters.js';

/**
 * Frames of this size on are compressed where the client offers it: snapshots shrink to a fifth. Deltas are small and
 * go to many at once; compressing them would cost more than it saves.
 */
export const COMPRESS_FROM = 4_096;

const LOOK_AGAIN_MS = 50;

/** One WebSocket as the engine sees it. What the client does not read is counted and never waited for. */
export class SocketOutlet implements Outlet {
  /** Called when nothing waits to be written any more. */
  onDrained: () => void = () => undefined;
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly frames: EncodedFrames,
    private readonly counters: TransportCounters,
  ) {}

  send(frame: OutFrame): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const bytes = this.frames.bytes(frame);
    const large = bytes.length >= COMPRESS_FROM;
    // A compressed frame reaches the connection later and in pieces: only its own end says that it is written.
    this.socket.send(bytes, { binary: false, compress: large }, large ? this.look : undefined);
    this.counters.framesOut++;
    this.counters.bytesOut += bytes.length;
  }

  bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  end(code: number, reason: string): void {
    this.socket.close(code, reason);
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
}
