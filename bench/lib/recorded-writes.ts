import { Socket } from 'node:net';
import { framedText } from '#apps/api/src/live/transport/web-socket-frames.js';

/**
 * What this process writes to its sockets while it is recorded, and the same writes again without what made them: as many bytes, in the
 * same order, to the same sockets. That is what the kernel alone takes for them.
 */
export class RecordedWrites {
  /** Of each part, in order. */
  private readonly parts: { socket: Socket; size: number }[][] = [];
  private recording = false;

  constructor() {
    const { write } = Socket.prototype as unknown as { write: (...given: unknown[]) => boolean };
    const note = (socket: Socket, bytes: unknown): void => {
      if (this.recording && Buffer.isBuffer(bytes)) this.parts.at(-1)?.push({ socket, size: bytes.length });
    };
    Object.assign(Socket.prototype, {
      write(this: Socket, ...given: unknown[]) {
        note(this, given[0]);
        return write.apply(this, given);
      },
    });
  }

  start(): void {
    this.recording = true;
  }

  stop(): void {
    this.recording = false;
  }

  /** What follows belongs to the next part. */
  nextPart(): void {
    if (this.recording) this.parts.push([]);
  }

  get count(): number {
    return this.parts.length;
  }

  /** All writes of a part, each one WebSocket frame that begins with `head` and has the size of the one before. */
  repeat(part: number, head: string): void {
    const frames = new Map<number, Buffer>();
    for (const { socket, size } of this.parts[part]!) {
      const frame = frames.get(size) ?? frameOf(head, size);
      frames.set(size, frame);
      if (socket.writable) socket.write(frame);
    }
  }
}

const LONGEST_SHORT = 125;
const LONGEST_MIDDLE = 65_535;

/** A text frame of `size` bytes, or of as many as its head needs. */
function frameOf(head: string, size: number): Buffer {
  const lengthBytes = size - 2 <= LONGEST_SHORT ? 0 : size - 4 <= LONGEST_MIDDLE ? 2 : 8;
  return framedText(head.padEnd(size - 2 - lengthBytes)).whole;
}
