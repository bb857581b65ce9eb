import type { Socket } from 'node:net';

/** What Node's handle of a connection counts; its own idle timeout goes by the same numbers. */
interface Handle {
  /** Bytes that were given to it. */
  readonly bytesWritten: number;
  /** Of these, bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

/**
 * Whether a client reads what waits for it, from one look to the next. The kernel takes more only as the client makes
 * room, once it has left something waiting. The stream's own lengths would not do: all that waits is one write to it,
 * which counts as waiting to its last byte.
 */
export class ReadingProgress {
  private waited = false;
  private taken = 0;

  constructor(private readonly stream: Socket) {}

  /** Something waited at the last look, and some of it was taken since. */
  look(): boolean {
    const { _handle } = this.stream as unknown as { _handle: Handle | null };
    const waiting = _handle?.writeQueueSize ?? 0;
    const taken = (_handle?.bytesWritten ?? 0) - waiting;
    const reads = this.waited && taken > this.taken;
    this.waited = waiting > 0;
    this.taken = taken;
    return reads;
  }
}
