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
 * Notified of what a reader serves, in the same turn of the event loop in which it changes. A listener that takes a view
 * has had every group up to the view's seq, and gets every group after it.
 */
export interface TailListener {
  /** The next group of the log is served: `view()` includes it. */
  onGroup(entry: TailEntry): void;
  /** What is served now does not continue the groups before: another log, or a jump in the same one. */
  onReset(served: ServedLog): void;
  /** `view()` answers again after it did not. */
  onAvailable(): void;
}
