/**
 * Quotes that this router made and still holds, shared by every instance behind one address. A quote is held as the
 * very text that was answered; a build decodes that text once, at the edge of this store.
 */
export interface HeldQuotes {
  /** Holds the text of a quote. Throws QuoteStoreUnavailableError when the store does not answer. */
  hold(quoteId: string, json: string, lifetimeMs: number): Promise<void> | void;
  /** The text that was held; null: unknown or expired. */
  find(quoteId: string): Promise<string | null>;
}

/** The form of every id; no other text is looked up, or becomes part of a key. */
export const QUOTE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const QUOTE_ID_LENGTH = 36;
