/** The parameters of a request, and the quote that answered it the last time. */
export class QuoteRequest<P, Q> {
  cached: Q | null = null;

  constructor(readonly parameters: P) {}
}

/** Requests of one generation. */
const MOST = 1_024;
/** Longer texts are read each time. */
const MAX_LENGTH = 1_000;

/**
 * Parsed requests by the text that made them (the target of a GET, or the bytes of a body): a client that polls a price
 * sends the same bytes again. A request is kept only when it was read without an error, and the result depends on the
 * text alone. Requests are kept in two generations; when the younger one is full, those that were not repeated meanwhile
 * are dropped.
 */
export class QuoteRequestCache<P, Q> {
  private young = new Map<string, QuoteRequest<P, Q>>();
  private old = new Map<string, QuoteRequest<P, Q>>();

  get size(): number {
    return this.young.size + this.old.size;
  }

  of(text: string, read: () => P): QuoteRequest<P, Q> {
    if (text.length > MAX_LENGTH) return new QuoteRequest(read());
    const known = this.young.get(text);
    if (known !== undefined) return known;
    const request = this.old.get(text) ?? new QuoteRequest<P, Q>(read());
    if (this.young.size >= MOST) {
      this.old = this.young;
      this.young = new Map();
    }
    this.old.delete(text);
    this.young.set(text, request);
    return request;
  }
}
