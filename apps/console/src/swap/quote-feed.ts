import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { QuoteRequest } from '#libs/serve/client/router-client.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';

/** A quote and when it arrived here. */
export interface ReceivedQuote<Q = EvmQuote> {
  readonly request: QuoteRequest;
  readonly quote: Q;
  /** Unix ms, of this device's clock. */
  readonly at: number;
}

export interface QuoteState<Q = EvmQuote> {
  /** What is asked for; null while the form says nothing that could be asked. */
  readonly request: QuoteRequest | null;
  /** The newest answer. It may still be that of an earlier amount of the same pair: then `fresh` is false. */
  readonly received: ReceivedQuote<Q> | null;
  readonly fresh: boolean;
  /** Why the newest attempt failed; null when it did not. */
  readonly error: ApiError | null;
}

export interface QuoteFeedOptions<Q = EvmQuote> {
  ask(request: QuoteRequest, signal: AbortSignal): Promise<Q>;
  /** True when the failure was dealt with elsewhere, and asking again makes no sense. */
  ended?: (error: unknown) => boolean;
}

/** While the user types, the router is asked only after a pause. */
export const TYPING_MS = 150;
export const REFRESH_MS = 3_000;
const LONGEST_PAUSE_MS = 10_000;

const NOTHING: QuoteState<never> = { request: null, received: null, fresh: false, error: null };

/**
 * Keeps a quote of what the form says: asked for when it changes, and again every three seconds until it is paused. Only
 * the answer to the newest question counts; an answer that comes late is dropped.
 */
export class QuoteFeed<Q = EvmQuote> {
  readonly state = signal<QuoteState<Q>>(NOTHING);
  private asking = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private resting = false;

  constructor(private readonly options: QuoteFeedOptions<Q>) {}

  /** What the form says now. */
  want(request: QuoteRequest | null): void {
    const { request: before, received } = this.state.peek();
    if (JSON.stringify(before) === JSON.stringify(request)) return;
    this.quit();
    this.failures = 0;
    if (request === null) {
      this.state.value = NOTHING;
      return;
    }
    const kept = received !== null && samePair(received.request, request) ? received : null;
    this.state.value = { request, received: kept, fresh: false, error: null };
    if (!this.resting) this.later(before === null ? 0 : TYPING_MS);
  }

  /** Asks now, whatever the pause was. */
  refresh(): void {
    if (this.state.peek().request === null) return;
    this.quit();
    this.later(0);
  }

  /** The quote that is held stays as it is, for example while it is built. */
  pause(): void {
    this.resting = true;
    this.quit();
  }

  resume(): void {
    if (!this.resting) return;
    this.resting = false;
    this.refresh();
  }

  stop(): void {
    this.resting = true;
    this.quit();
  }

  private quit(): void {
    clearTimeout(this.timer);
    this.asking.abort();
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), ms);
  }

  private async run(): Promise<void> {
    const { request } = this.state.peek();
    if (request === null) return;
    const asking = new AbortController();
    this.asking = asking;
    try {
      const quote = await this.options.ask(request, asking.signal);
      if (asking.signal.aborted) return;
      this.failures = 0;
      this.state.value = { request, received: { request, quote, at: Date.now() }, fresh: true, error: null };
      this.later(REFRESH_MS);
    } catch (error) {
      if (asking.signal.aborted || this.options.ended?.(error) === true) return;
      if (!(error instanceof ApiError)) throw error;
      // A refused quote is dropped; while there is no answer, the old one is valid until it expires.
      const { received, fresh } = this.state.peek();
      const kept = error.status === null ? { received, fresh } : { received: null, fresh: false };
      this.state.value = { request, ...kept, error };
      this.later(pauseAfter(error, this.failures++));
    }
  }
}

function pauseAfter(error: ApiError, failures: number): number {
  if (error.retryAfter !== null) return Math.max(REFRESH_MS, error.retryAfter * 1_000);
  return Math.min(LONGEST_PAUSE_MS, REFRESH_MS * 2 ** failures);
}

const samePair = (one: QuoteRequest, other: QuoteRequest): boolean =>
  one.chain === other.chain && one.inputMint === other.inputMint && one.outputMint === other.outputMint;
