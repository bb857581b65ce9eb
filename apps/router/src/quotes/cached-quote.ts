import type { BookHead, PoolBook } from '#libs/pools/pool-book.js';
import type { Route } from '#libs/routing/route.js';
import type { EvmChainServices } from '../evm/ports.js';

/** What a quote follows from, beside the question: while all of it is the same, so is the quote. */
export interface PricingBasis {
  book: PoolBook;
  version: number;
  head: BookHead;
  servable: ReadonlySet<string>;
}

export const basisOf = (services: EvmChainServices): PricingBasis => {
  const { book } = services;
  return { book, version: book.version, head: book.head!, servable: services.venues.servable() };
};

/** A quote on its ground: everything of its text except how long it took, its id and when it expires. */
export class CachedQuote {
  constructor(
    private readonly ground: PricingBasis,
    /** Whose gas it names; null: none's, it is a wrap. */
    private readonly route: Route | null,
    private readonly gas: bigint,
    private readonly text: QuoteText,
  ) {}

  /** The estimate of a route's gas may change at any time; asking for it keeps it fresh. */
  standsOn(services: EvmChainServices): boolean {
    const { ground, route } = this;
    const { book } = services;
    return (
      book === ground.book &&
      book.version === ground.version &&
      book.head === ground.head &&
      same(services.venues.servable(), ground.servable) &&
      (route === null || services.gas.estimate(route) === this.gas)
    );
  }

  write(seconds: number, quoteId: string, expiresAt: string): string {
    const { upToSeconds, upToExpiry, rest } = this.text;
    return `${upToSeconds}${seconds},"quoteId":"${quoteId}"${upToExpiry}${expiresAt}${rest}`;
  }
}

export interface QuoteText {
  upToSeconds: string;
  /** After the id. */
  upToExpiry: string;
  rest: string;
}

function same(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const venue of one) if (!other.has(venue)) return false;
  return true;
}
