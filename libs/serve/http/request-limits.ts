/** Bounds of one request in time and size, the same on every listener. */
export interface RequestLimits {
  /** How long the head may take, from the first byte of the request. */
  readonly headersMs: number;
  /** How long the body may take in all, from the end of the head. */
  readonly bodyMs: number;
  /** A longer address is refused with 414. */
  readonly urlBytes: number;
  /** Longer headers are refused with 431. */
  readonly headerBytes: number;
  /** A larger body is refused with 413. */
  readonly bodyBytes: number;
  /** An upload that is too large is read to its end up to here, so that its sender reads the refusal. */
  readonly drainBytes: number;
  /** How often heads that take too long are looked for. */
  readonly checkMs: number;
}

export const defaultLimits: RequestLimits = {
  headersMs: 10_000,
  bodyMs: 10_000,
  urlBytes: 16_384,
  headerBytes: 16_384,
  bodyBytes: 262_144,
  drainBytes: 1_048_576,
  checkMs: 1_000,
};

/** Head of a request that Node still reads; a longer one never becomes a request and is answered 431, whatever is long. */
export const MOST_HEAD_BYTES = 131_072;

/** Runs something later; the answer takes it back. */
export interface RequestClock {
  after(ms: number, run: () => void): () => void;
}

export const systemRequestClock: RequestClock = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
