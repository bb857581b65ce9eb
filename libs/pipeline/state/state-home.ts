import type { KeyedState, KeyedStateOptions } from './keyed-state.js';
import type { RewindPoint } from './sealed-store.js';
import type { BlockPosition } from './space.js';

/** What a home keeps, seen without its state being in use. */
export interface KeptState {
  readonly committed: BlockPosition | null;
  /** Newest first. */
  readonly points: readonly RewindPoint[];
}

/**
 * Where one keyed state lives, with a place next to it where its successor is built.
 * Invariant: it has one state at a time, whole; a successor that was not promoted is gone with the next opening.
 */
export interface StateHome {
  /** Waits for the holder in this process that has it open. */
  open(options?: KeyedStateOptions): Promise<KeyedState>;
  /** An empty state next to the open one. */
  openNext(options?: KeyedStateOptions): Promise<KeyedState>;
  /** Closes both; the successor takes the place. The home is then opened again. */
  promote(current: KeyedState, next: KeyedState): Promise<void>;
  kept(): Promise<KeptState>;
  remove(): Promise<void>;
}
