/**
 * Holds the quotes that routers behind one address have answered, until their builds come or their time is over. It holds
 * the text of the answer; a build parses that text once, when it reads it back.
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
