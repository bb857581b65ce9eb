import { HOT_MB } from '#libs/core/hot-memory.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import { hotReads } from './hot/hot-reads.js';
import { type HotLimits, HotStates, hotLimits } from './hot/hot-states.js';
import { TailBuffer, type TailEntry } from './tail-buffer.js';

export interface SessionOptions {
  pointer: Pointer;
  checkpoint: Checkpoint;
  reads: MarketReads;
  maxTailBytes: number;
  /** Groups that stay in the tail when the tables have them: most retractions then take back nothing that states hold. */
  keepGroups?: number;
  hot?: HotLimits;
}

/** Checkpoints that may wait for the tail; the oldest go first. */
const MOST_SEEN = 64;

/**
 * One served generation: its pointer, its adopted checkpoint, the tail above it and the reads of its tables. They
 * change together, so that a switch is one assignment.
 */
export class Session {
  readonly pointer: Pointer;
  /** With what is held of the tables in front of them. */
  readonly reads: MarketReads;
  readonly hot: HotStates;
  readonly tail: TailBuffer;
  /** End of the log when the session was made: below it the session is not offered. */
  goal = Number.POSITIVE_INFINITY;
  ready = false;
  private readonly end = new AbortController();
  private readonly maxTailBytes: number;
  private newest: Checkpoint;
  /** Those that may be adopted once the tail is long enough, ascending. */
  private seen: Checkpoint[] = [];
  private readonly keepGroups: number;
  private following: Promise<void> = Promise.resolve();
  private roomMade: (() => void) | null = null;

  constructor(options: SessionOptions) {
    this.pointer = options.pointer;
    this.hot = new HotStates(
      options.checkpoint.seq,
      options.checkpoint.time,
      options.hot ?? hotLimits(HOT_MB * 1024 * 1024),
    );
    this.reads = hotReads(options.reads, this.hot);
    this.keepGroups = options.keepGroups ?? 0;
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

  /** Retracted rows up to it may be gone from the tables. */
  get purgedSeq(): number {
    return this.newest.purgedSeq;
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
    if (newer) {
      this.newest = checkpoint;
      this.seen = [...this.seen.filter(({ seq }) => seq < checkpoint.seq), checkpoint].slice(-MOST_SEEN);
    }
    this.applySeen();
  }

  applySeen(): void {
    const next = this.due();
    if (next === undefined) return;
    this.seen = this.seen.filter(({ seq }) => seq > next.seq);
    const from = this.tail.checkpoint.seq;
    const covered = (this.tail.entriesAbove(from) ?? []).slice(0, next.seq - from);
    if (next === this.tail.checkpoint || !this.tail.adopt(next)) return;
    this.follow(next, from, covered);
    if (this.overfull) return;
    this.roomMade?.();
    this.roomMade = null;
  }

  /** The newest checkpoint that leaves the tail what is to stay in it. A tail that takes much room keeps no more than it must. */
  private due(): Checkpoint | undefined {
    const { position, bytes } = this.tail;
    const keep = bytes > this.maxTailBytes / 4 ? 0 : this.keepGroups;
    return this.seen.findLast(({ seq }) => seq <= position - keep);
  }

  private follow({ seq, time }: Checkpoint, from: number, covered: readonly TailEntry[]): void {
    const gone = covered.flatMap(({ retracts }) => retracts ?? []);
    if (gone.some(({ fromSeq }) => fromSeq <= from)) {
      this.hot.reset(seq, time);
      return;
    }
    const isGone = (at: number): boolean => gone.some(({ fromSeq, retractSeq }) => at >= fromSeq && at < retractSeq);
    const groups = covered.flatMap((entry) => (entry.group === null || isGone(entry.seq) ? [] : [entry.group]));
    this.hot.follow(seq, time, groups);
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
