import type { Hex } from '#libs/core/ids.js';
import type { TimeBudget } from '#libs/core/time-budget.js';
import type { SpaceChanges } from './changes.js';
import type { KeyedSpace, MutableChange } from './keyed-space.js';
import { RecordPacker } from './packed-records.js';
import type { CommitRecords } from './sealed-store.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * Sealed changes that a commit takes together: each key before the first block that is in it and after the last.
 * Invariant: of the pins that its blocks had on a key one is left, for the batch.
 */
export class CommitBatch {
  private readonly changes: Map<Hex, MutableChange<unknown>>[];

  constructor(private readonly spaces: readonly KeyedSpace<unknown>[]) {
    this.changes = spaces.map(() => new Map());
  }

  /** Keys. */
  get size(): number {
    return this.changes.reduce((sum, { size }) => sum + size, 0);
  }

  /** The values of a block replace those of the blocks before. A key that came and went was never in the store and is left out. */
  add(block: SpaceChanges): void {
    for (const keyed of this.spaces) {
      const changes = this.changes[keyed.index]!;
      for (const [key, { before, after, entry }] of block[keyed.index] ?? []) {
        const known = changes.get(key);
        if (known === undefined) changes.set(key, { before, after, entry });
        else {
          keyed.unpin(entry);
          known.after = after;
        }
        if (after === null && (known === undefined ? before : known.before) === null) {
          changes.delete(key);
          keyed.unpin(entry);
        }
      }
    }
  }

  async encode(slice: TimeBudget): Promise<CommitRecords> {
    const [values, old] = [new Chunks(), new Chunks()];
    for (const { index, space } of this.spaces) {
      for (const [key, { before, after }] of this.changes[index]!) {
        values.add(index, key, after === null ? null : space.encode(after));
        old.addAfter(values, key, before === null ? null : space.encode(before));
        if (slice.isOver()) await slice.next();
      }
    }
    return { values: values.end(), before: old.end() };
  }

  /** The store has its values. */
  async unpin(slice: TimeBudget): Promise<void> {
    slice.begin();
    for (const keyed of this.spaces) {
      for (const { entry } of this.changes[keyed.index]!.values()) {
        keyed.unpin(entry);
        if (slice.isOver()) await slice.next();
      }
    }
  }
}

/** Packed records in chunks. */
class Chunks {
  private readonly chunks: Buffer<ArrayBuffer>[] = [];
  private readonly packer = new RecordPacker(CHUNK_BYTES);

  add(space: number, key: Hex, value: Uint8Array | null): void {
    if (!this.packer.fits(key, value)) this.chunks.push(this.packer.take());
    this.packer.add(space, key, value);
  }

  /** A record of the key that the other ones were given last. */
  addAfter({ packer }: Chunks, key: Hex, value: Uint8Array | null): void {
    if (!this.packer.fits(key, value)) this.chunks.push(this.packer.take());
    this.packer.addAfter(packer, value);
  }

  end(): Buffer<ArrayBuffer>[] {
    if (!this.packer.isEmpty) this.chunks.push(this.packer.take());
    return this.chunks;
  }
}
