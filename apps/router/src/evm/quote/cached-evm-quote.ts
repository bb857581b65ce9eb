import type { BookHead, PoolBook } from '#libs/routing/pools/pool-book.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import type { CachedQuote } from '../../quotes/cached-quote.js';
import type { PricedQuote } from '../model/evm-quote.js';
import type { EvmChainServices } from '../ports.js';
import { type EvmQuoteText, quoteText, writeQuote } from './quote-text.js';

/** Everything that a quote is priced from, except the request. */
interface PricingBasis {
  readonly book: PoolBook;
  readonly version: number;
  readonly head: BookHead;
  readonly servable: ReadonlySet<string>;
  /** What simulations have found of tokens. */
  readonly findings: number;
}

export const basisOf = ({ book, venues, tokens }: EvmChainServices): PricingBasis => ({
  book,
  version: book.version,
  head: book.head!,
  servable: venues.servable(),
  findings: tokens.version,
});

/** A priced quote with its text, valid while pools, head, venues and findings are unchanged. */
export class CachedEvmQuote implements CachedQuote<EvmChainServices> {
  private readonly text: EvmQuoteText;

  constructor(
    readonly quote: PricedQuote,
    private readonly basis: PricingBasis,
  ) {
    this.text = quoteText(quote);
  }

  get chain(): string {
    return this.quote.chain.slug;
  }

  get lifetimeMs(): number {
    return this.quote.chain.evm!.quoteLifetimeMs;
  }

  isCurrent({ book, venues, tokens }: EvmChainServices): boolean {
    const { basis } = this;
    return (
      book === basis.book &&
      book.version === basis.version &&
      book.head === basis.head &&
      tokens.version === basis.findings &&
      same(venues.servable(), basis.servable)
    );
  }

  write(issue: QuoteIssue, expiry: string): string {
    return writeQuote(this.text, issue, expiry);
  }
}

function same(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const venue of one) if (!other.has(venue)) return false;
  return true;
}
