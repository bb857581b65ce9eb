import type { BookHead, PoolBook } from '#libs/routing/pools/pool-book.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import type { CachedQuote } from '../../quotes/cached-quote.js';
import type { PricedQuote } from '../model/evm-quote.js';
import type { EvmChainServices, PathGas } from '../ports.js';
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

/** A priced quote with its text, valid while pools, head, venues, findings and the gas of its path are unchanged. */
export class CachedEvmQuote implements CachedQuote<EvmChainServices> {
  private readonly text: EvmQuoteText;

  constructor(
    readonly quote: PricedQuote,
    private readonly basis: PricingBasis,
    /** null: a wrap, whose gas is fixed. */
    private readonly gas: PathGas | null,
  ) {
    this.text = quoteText(quote);
  }

  get chain(): string {
    return this.quote.chain.slug;
  }

  get lifetimeMs(): number {
    return this.quote.chain.evm!.quoteLifetimeMs;
  }

  /** Asking for the gas of a path keeps its estimate fresh. */
  isCurrent({ book, venues, tokens }: EvmChainServices): boolean {
    const { basis, gas } = this;
    return (
      book === basis.book &&
      book.version === basis.version &&
      book.head === basis.head &&
      tokens.version === basis.findings &&
      same(venues.servable(), basis.servable) &&
      (gas === null || gas.estimate() === this.quote.gasEstimate)
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
