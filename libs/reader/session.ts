import type { Checkpoint } from '#libs/store/market/checkpoint.js';
import type { Pointer } from '#libs/store/market/pointer.js';
import type { MarketReads } from '#libs/store/market/reads.js';
import { TailBuffer } from './tail-buffer.js';

export interface SessionOptions {
  pointer: Pointer;
  checkpoint: Checkpoint;
  reads: MarketReads;
  maxTailBytes: number;
}

/**
 * One served generation: its pointer, its adopted checkpoint, the tail above it and the reads of its tables. They
 * change together, so that a switch is one assignment.
 */
export class Session {
  readonly pointer: Pointer;
  readonly reads: MarketReads;
  readonly tail: TailBuffer;
  /** End of the log when the session was made: below it the session is not offered. */
  goal = Number.POSITIVE_INFINITY;
  ready = false;
  private readonly end = new AbortController();
  private readonly maxTailBytes: number;
  private newest: Checkpoint;
  private following: Promise<void> = Promise.resolve();
  private roomMade: (() => void) | null = null;

  constructor(options: SessionOptions) {
    this.pointer = options.pointer;
    this.reads = options.reads;
    this.tail = new TailBuffer(options.checkpoint);
    this.newest = options.checkpoint;
    this.maxTailBytes = options.maxTailBytes;
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }

  get stopped(): boolean {
    return this.end.signal.aborted;
  }

  serves(pointer: Pointer): boolean {
    return (
      this.pointer.generation === pointer.generation && this.pointer.epoch === pointer.epoch && this.sameFacts(pointer)
    );
  }

  sameFacts(pointer: Pointer): boolean {
    return this.pointer.epoch === pointer.epoch && this.pointer.foldVersion === pointer.foldVersion;
  }

  /** Whether a pinned view was taken from these tables. */
  holds({ epoch, generation }: { epoch: number; generation: number }): boolean {
    return this.pointer.epoch === epoch && this.pointer.generation === generation;
  }

  /** More facts wait above the checkpoint than may: the sink is stuck or far behind. */
  get overfull(): boolean {
    return this.tail.bytes > this.maxTailBytes;
  }

  /** The tables have dropped rows that a view at this position would still need. */
  get purgedAhead(): boolean {
    return this.newest.purgedSeq > this.tail.position;
  }

  /** The tail is full and the tables have run past it: only a start from the newest checkpoint helps. */
  get needsRebase(): boolean {
    return this.overfull && this.newest.seq > this.tail.position;
  }

  /** A checkpoint was read. It is adopted now, or as soon as the tail has reached it (rule 20). */
  see(checkpoint: Checkpoint): void {
    if (checkpoint.generation !== this.pointer.generation || checkpoint.epoch !== this.pointer.epoch) return;
    const newer =
      checkpoint.seq > this.newest.seq || (checkpoint.seq === this.newest.seq && checkpoint.step > this.newest.step);
    if (newer) this.newest = checkpoint;
    this.applySeen();
  }

  applySeen(): void {
    if (this.newest !== this.tail.checkpoint && this.tail.adopt(this.newest) && !this.overfull) {
      this.roomMade?.();
      this.roomMade = null;
    }
  }

  /** Resolves at once while the tail has room, else when a checkpoint made some or the session ends. */
  room(): Promise<void> {
    if (!this.overfull || this.stopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.roomMade = resolve;
    });
  }

  running(following: Promise<void>): void {
    this.following = following;
  }

  async stop(): Promise<void> {
    this.end.abort();
    this.roomMade?.();
    await this.following;
  }
}
