import { LRUCache } from 'lru-cache';

/** The parameters of a request, and the quote that answered it the last time. */
export class QuoteRequest<P, Q> {
  cached: Q | null = null;

  constructor(readonly parameters: P) {}
}

const MOST = 2_048;
/** Longer texts are read each time. */
const MAX_LENGTH = 1_000;

/**
 * Parsed requests by the text that made them (the target of a GET, or the bytes of a body): a client that polls a price
 * sends the same bytes again. A request is kept only when it was read without an error, and the result depends on the
 * text alone. The one that was not asked for the longest is dropped first.
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
