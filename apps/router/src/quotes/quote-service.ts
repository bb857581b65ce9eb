import { randomUUID } from 'node:crypto';
import type { HeldQuotes } from '../held/held-quotes.js';
import { QuoteStoreUnavailableError } from '../held/quote-store-unavailable.js';
import type { QuoteIssue } from '../model/quote-issue.js';
import { notReady } from '../refusal.js';
import type { CachedQuote } from './cached-quote.js';
import type { QuoteRequest } from './quote-request.js';

/** How one chain family prices: `P` the parameters, `S` the services of one chain, `Q` a priced quote. */
export interface QuotePricer<P, S, Q extends CachedQuote<S>> {
  /** The services that price these parameters now. Throws a Refusal while the chain cannot trade. */
  source(parameters: P, now: number): S;
  /** Prices in one turn of the event loop, from one block. */
  price(source: S, parameters: P): Q;
}

/** A quote that was made and is held: the value, and the text of it that is answered. */
export interface MadeQuote<Q> extends QuoteIssue {
  readonly priced: Q;
  readonly json: string;
}

/**
 * Prices a quote, holds it, and answers it, in this order: a quote that cannot be held is refused. Each answer has its
 * own id and lifetime; the priced quote of a request is used again only while it is current.
 */
export class QuoteService<P, S, Q extends CachedQuote<S>> {
  private expiry = { ms: Number.NaN, text: '' };

  constructor(
    private readonly pricer: QuotePricer<P, S, Q>,
    private readonly held: HeldQuotes,
    private readonly now: () => number,
  ) {}

  /**
   * Answers at once, unless the store of held quotes takes its time. `startedAt`: when the request came in, by
   * `performance.now()`.
   */
  make(request: QuoteRequest<P, Q>, startedAt: number): MadeQuote<Q> | Promise<MadeQuote<Q>> {
    const now = this.now();
    const source = this.pricer.source(request.parameters, now);
    let priced = request.cached;
    if (priced === null || !priced.isCurrent(source)) {
      priced = this.pricer.price(source, request.parameters);
      request.cached = priced;
    }
    const { lifetimeMs, chain } = priced;
    const issue = { quoteId: randomUUID(), seconds: secondsSince(startedAt), expiresAt: now + lifetimeMs };
    const json = priced.write(issue, this.expiryText(issue.expiresAt));
    const { quoteId, seconds, expiresAt } = issue;
    const made = { quoteId, seconds, expiresAt, priced, json };
    const holding = this.held.hold(quoteId, json, lifetimeMs);
    if (holding === undefined) return made;
    return holding.then(
      () => made,
      (error: unknown) => {
        throw storeRefusal(error, chain);
      },
    );
  }

  /** Quotes of one millisecond share it. */
  private expiryText(ms: number): string {
    if (ms !== this.expiry.ms) this.expiry = { ms, text: new Date(ms).toISOString() };
    return this.expiry.text;
  }
}

/** The refusal while the store of held quotes does not answer; any other error is returned as it is. */
export function storeRefusal(error: unknown, chain: string): unknown {
  return error instanceof QuoteStoreUnavailableError
    ? notReady([`${chain}: the store of held quotes does not answer`])
    : error;
}

/** To the microsecond, at least one. */
const secondsSince = (startedAt: number): number =>
  Math.max(1, Math.round((performance.now() - startedAt) * 1_000)) / 1_000_000;
