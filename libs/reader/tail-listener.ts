import type { TailEntry } from './tail-buffer.js';

/** The log that is served, and the groups above the adopted checkpoint that are held of it, ascending and gapless. */
export interface ServedLog {
  readonly epoch: number;
  readonly foldVersion: number;
  /** What `view()` answers from now. */
  readonly seq: number;
  readonly held: readonly TailEntry[];
}

/**
 * Told of what a reader serves, in the same turn of the event loop in which it changes: whoever takes a view and notes
 * what was told before it has everything up to the view's seq, and is told of everything after it.
 */
export interface TailListener {
  /** The next group of the log is served: `view()` includes it. */
  onGroup(entry: TailEntry): void;
  /** What is served now does not continue what was told before: another log, or a jump in the same one. */
  onReset(served: ServedLog): void;
  /** `view()` answers again after it did not. */
  onAvailable(): void;
}
