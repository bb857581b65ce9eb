import { open } from 'node:fs/promises';
import { totalmem } from 'node:os';

const PIECE_BYTES = 1024 * 1024;
/**
 * Of the memory of this process, its page cache included. With three quarters a start of the full size of bench/state took 5 to 8 s,
 * since what was read pushed out what was needed; with a half, or nothing, 4 s.
 */
const SHARE = 0.5;

/**
 * Reads a file from its beginning to its end, so that its pages are in the page cache: in order that costs a small part of what
 * single pages cost when they are missed one by one. Only a hint: a file that is larger than most of the memory is read as far as
 * that, and an error is left to those who read the file for its values.
 */
export class ReadThrough {
  /** How many bytes it read. */
  readonly ended: Promise<number>;
  private stopped = false;

  constructor(file: string, most = SHARE * memoryBytes()) {
    this.ended = this.read(file, most).catch(() => 0);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.ended;
  }

  private async read(path: string, most: number): Promise<number> {
    const file = await open(path, 'r');
    try {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      let at = 0;
      while (at < most && !this.stopped) {
        const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      return at;
    } finally {
      await file.close();
    }
  }
}

/** Where no control group bounds it, the machine's. */
function memoryBytes(): number {
  const bound = process.constrainedMemory();
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}
