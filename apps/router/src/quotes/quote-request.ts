/** What is asked for, and the quote that it was answered with the last time. */
export class QuoteRequest<P, Q> {
  cached: Q | null = null;

  constructor(readonly parameters: P) {}
}

/** Requests of one generation. */
const MOST = 1_024;
/** Longer texts are read each time. */
const MAX_LENGTH = 1_000;

/**
 * Requests by the very text that asked them (a target, or the bytes of a body): a client that polls a price sends the same
 * bytes again. Only what was read without a complaint is kept, and what is read depends on the text alone. Bounded by two
 * generations: what was not asked while the younger one filled up is dropped.
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
