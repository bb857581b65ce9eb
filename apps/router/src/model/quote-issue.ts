/** What an id, a moment and a caller add to a priced quote. */
export interface QuoteIssue {
  readonly quoteId: string;
  /** Seconds that the router took. */
  readonly seconds: number;
  /** Unix ms; the quote can be built until then. */
  readonly expiresAt: number;
}
