import type { QuoteIssue } from '../model/quote-issue.js';

/**
 * A priced quote that answers the same request again while it is valid: until the pools, the head, the venues or anything
 * else that it was priced from changes. `S` is what prices: the services of one chain.
 */
export interface CachedQuote<S> {
  /** Slug of the chain. */
  readonly chain: string;
  /** How long a quote of the chain is held. */
  readonly lifetimeMs: number;
  isCurrent(source: S): boolean;
  /** The text of the answer. `expiry` is the time of `issue.expiresAt` as text. */
  write(issue: QuoteIssue, expiry: string): string;
}
