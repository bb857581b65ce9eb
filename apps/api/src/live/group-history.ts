import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';

export interface HistoryBounds {
  groups: number;
  bytes: number;
}

/**
 * The newest groups of one log, gapless, within bounds: what a client that was away for a moment missed, and what a
 * retraction took back. It also holds groups that the tables cover already.
 */
export class GroupHistory {
  private entries: (TailEntry | null)[] = [];
  /** Entries before it are dropped. */
  private start = 0;
  private bytes = 0;
  private last: number;

  constructor(
    private readonly bounds: HistoryBounds,
    seq: number,
    held: readonly TailEntry[],
  ) {
    this.last = seq - held.length;
    for (const entry of held) this.push(entry);
  }

  /** The highest seq there is, held or not. */
  get seq(): number {
    return this.last;
  }

  push(entry: TailEntry): void {
    if (entry.seq !== this.last + 1) throw new RangeError(`history: expected seq ${this.last + 1}, got ${entry.seq}`);
    this.entries.push(entry);
    this.last = entry.seq;
    this.bytes += entry.bytes;
    while (this.size > this.bounds.groups || (this.bytes > this.bounds.bytes && this.size > 0)) this.drop();
    if (this.start > this.size) {
      this.entries = this.entries.slice(this.start);
      this.start = 0;
    }
  }

  /** The groups of [from, to], or null when some are not held. */
  range(from: number, to: number): readonly TailEntry[] | null {
    if (to > this.last || from <= this.last - this.size) return null;
    const end = this.entries.length - (this.last - to);
    return this.entries.slice(end - Math.max(0, to - from + 1), end) as TailEntry[];
  }

  private get size(): number {
    return this.entries.length - this.start;
  }

  private drop(): void {
    this.bytes -= this.entries[this.start]!.bytes;
    this.entries[this.start++] = null;
  }
}
