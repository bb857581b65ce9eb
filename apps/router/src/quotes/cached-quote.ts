import type { QuoteIssue } from '../model/quote-issue.js';

/**
 * A priced quote as the last answer to one request: valid while everything that it was priced from is unchanged, pools,
 * head and venues first of all. `S` is what prices: the services of one chain.
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
