import { LRUCache } from 'lru-cache';

/** What is asked for, and the quote that it was answered with the last time. */
export class QuoteRequest<P, Q> {
  cached: Q | null = null;

  constructor(readonly parameters: P) {}
}

const MOST = 2_048;
/** Longer texts are read each time. */
const MAX_LENGTH = 1_000;

/**
 * Requests by the very text that asked them (a target, or the bytes of a body): a client that polls a price sends the same
 * bytes again. Only what was read without a complaint is kept, and what is read depends on the text alone.
 */
export class QuoteRequestCache<P, Q> {
  private readonly kept = new LRUCache<string, QuoteRequest<P, Q>>({ max: MOST });

  get size(): number {
    return this.kept.size;
  }

  of(text: string, read: () => P): QuoteRequest<P, Q> {
    if (text.length > MAX_LENGTH) return new QuoteRequest(read());
    let request = this.kept.get(text);
    if (request === undefined) {
      request = new QuoteRequest<P, Q>(read());
      this.kept.set(text, request);
    }
    return request;
  }
}
