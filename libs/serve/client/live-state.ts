import type { ApiError } from './api-error.js';

/** How a live client is with its service. Times are Unix ms of the client's clock. */
export type LiveState =
  /** Nothing was asked of it yet. */
  | { readonly name: 'idle' }
  /** The first connection is being made. */
  | { readonly name: 'connecting' }
  | {
      readonly name: 'live';
      readonly since: number;
      /** What a lost connection meant for the subscriptions; null on the first connection. */
      readonly recovery: Recovery | null;
    }
  | {
      readonly name: 'lost';
      readonly since: number;
      /** Attempts so far. */
      readonly attempt: number;
      /** When the next attempt begins; null while one is under way. */
      readonly retryAt: number | null;
      /** Why, in a few words. */
      readonly reason: string;
    }
  /** The service does not take this key: nothing is tried again until connect() is called. */
  | { readonly name: 'refused'; readonly error: ApiError }
  | { readonly name: 'closed' };

export interface Recovery {
  readonly lostMs: number;
  /**
   * `pending` until every subscription has answered; then `nothing missed` when all went on where they were, or
   * `reloaded` when at least one began again with a snapshot.
   */
  readonly outcome: 'pending' | 'nothing missed' | 'reloaded';
}
