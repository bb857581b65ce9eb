import { closeSync, openSync, readSync } from 'node:fs';
import { TidepoolError } from '#libs/core/errors.js';
import type { PackedRecord } from '../packed-records.js';
import { recordAt } from '../packed-records.js';
import { type CommitExtent, commitFile, cutShort, type Frame, framesOf } from './commit-files.js';

const PIECE_BYTES = 64 * 1024;

/**
 * The records of a commit file in the order of spaces and keys, of each key the newest alone: a merge of its frames, each of which
 * is in that order already. Memory is a piece of each frame.
 */
export class CommitRuns {
  private readonly descriptor: number;
  /** A heap: each run is before the two at twice its place and one more, by its next record. */
  private readonly heap: Run[] = [];

  constructor(dir: string, extent: CommitExtent) {
    this.descriptor = openSync(commitFile(dir, extent.generation), 'r');
    for (const [number, frame] of framesOf(this.descriptor, extent).entries()) {
      const run = new Run(this.descriptor, frame, number);
      if (run.next()) this.heap.push(run);
    }
    for (let at = this.heap.length >> 1; at >= 0; at--) this.sink(at);
  }

  /** The next records, at most so many; none: the end. */
  take(limit: number): PackedRecord[] {
    const taken: PackedRecord[] = [];
    while (taken.length < limit && this.heap.length > 0) {
      const { space, key, value } = this.heap[0]!;
      taken.push({ space, key, value });
      // Older records of the same key follow it.
      while (this.heap.length > 0 && this.heap[0]!.key === key && this.heap[0]!.space === space) this.advance();
    }
    return taken;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private advance(): void {
    const { heap } = this;
    if (!heap[0]!.next()) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    this.sink(0);
  }

  private sink(from: number): void {
    const { heap } = this;
    const run = heap[from];
    if (run === undefined) return;
    let at = from;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1]!.isBefore(heap[below]!)) below++;
      if (!heap[below]!.isBefore(run)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = run;
  }
}

/** The records of one frame, read piece by piece. */
class Run {
  space = 0;
  key = '';
  value: Buffer | null = null;
  private piece = Buffer.alloc(0);
  private at = 0;
  private from: number;

  constructor(
    private readonly descriptor: number,
    private readonly frame: Frame,
    private readonly number: number,
  ) {
    this.from = frame.from;
  }

  /** False: there is no further one. */
  next(): boolean {
    let place = recordAt(this.piece, this.at);
    if (place === null) {
      if (this.at === this.piece.length && this.from === this.frame.end) return false;
      place = this.refill();
    }
    const key = this.piece.toString('hex', place.keyFrom, place.keyEnd);
    if (place.space < this.space || (place.space === this.space && key <= this.key)) throw outOfOrder();
    this.space = place.space;
    this.key = key;
    this.value = place.hasValue ? Buffer.from(this.piece.subarray(place.keyEnd, place.end)) : null;
    this.at = place.end;
    return true;
  }

  /** By space and key; of the same key the newer one. */
  isBefore(other: Run): boolean {
    if (this.space !== other.space) return this.space < other.space;
    return this.key === other.key ? this.number > other.number : this.key < other.key;
  }

  private refill() {
    for (let size = PIECE_BYTES; ; size *= 2) {
      const rest = this.piece.subarray(this.at);
      const wanted = Math.min(this.frame.end - this.from, Math.max(0, size - rest.length));
      const piece = Buffer.allocUnsafeSlow(rest.length + wanted);
      rest.copy(piece);
      for (let done = 0; done < wanted; ) {
        const read = readSync(this.descriptor, piece, rest.length + done, wanted - done, this.from + done);
        if (read === 0) throw cutShort();
        done += read;
      }
      this.from += wanted;
      this.piece = piece;
      this.at = 0;
      const place = recordAt(piece, 0);
      if (place !== null) return place;
      if (this.from === this.frame.end) throw cutShort();
    }
  }
}

/** A merge of it would let an older value win. */
const outOfOrder = (): TidepoolError =>
  new TidepoolError('bad_state', 'a commit file of the keyed state is out of order');
