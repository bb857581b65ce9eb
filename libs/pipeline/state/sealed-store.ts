import type { Hex } from '#libs/core/ids.js';
import type { BlockPosition, KeyRange } from './space.js';

/** A state that `rewind` can go back to. */
export interface RewindPoint {
  /** The commit that is undone last. */
  readonly commit: number;
  /** Null: the empty state. */
  readonly position: BlockPosition | null;
}

/** What a commit changes: packed records of the same keys, each key once. */
export interface CommitRecords {
  readonly values: Buffer<ArrayBuffer>[];
  /** With the values that the commit before left. */
  readonly before: Buffer<ArrayBuffer>[];
}

/**
 * Where the sealed state is kept: encoded values by space and key.
 * Invariants: a commit changes values, position and undo rows together or not at all; what a resolved commit wrote is
 * durable. Reads are synchronous. One commit, rewind or load at a time; after one of them failed the store is not used.
 */
export interface SealedStore {
  /** Null: nothing was committed yet. */
  readonly position: BlockPosition | null;
  /** Number of the newest commit. */
  readonly newest: number;
  /** All of it is in memory before long, reading ahead costs more than it saves. */
  readonly isSmall: boolean;
  /** Newest first; the current position is not among them. */
  points(): RewindPoint[];
  /** Valid until the next call. */
  get(space: number, key: Hex): Buffer | null;
  /** `value` is valid until the next entry. */
  range(space: number, range: KeyRange): Iterable<{ key: Hex; value: Buffer }>;
  /** Brings what is behind these keys into memory; changes nothing else. */
  warm(space: number, keys: Hex[]): Promise<void>;
  /** Reads values without stopping the event loop, each as it was when this was asked or later. `value` is valid during the call only. */
  fetch(space: number, keys: Hex[], take: (key: Hex, value: Buffer | null) => void): Promise<void>;
  /** The memory of the records is the store's from then on. */
  commit(records: CommitRecords, position: BlockPosition): Promise<void>;
  /** Undoes commits back to the point; answers all keys that this touched, with the values they had before. */
  rewind(point: RewindPoint): Promise<Buffer[]>;
  /** Fills an empty store in any number of steps, each space in key order; it stays empty for the next opening until the position comes. */
  load(records: Buffer<ArrayBuffer>[], position: BlockPosition | null): Promise<void>;
  close(): Promise<void>;
}
