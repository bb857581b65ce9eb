import type { QuoteIssue } from '../../model/quote-issue.js';
import type { CachedQuote } from '../../quotes/cached-quote.js';
import { QUOTE_LIFETIME_MS, type SolanaQuote } from '../model/solana-quote.js';
import type { ReadySolana } from '../readiness.js';
import { quoteText, type SolanaQuoteText, writeQuote } from './quote-text.js';

/** A priced quote, valid while the pools, the newest reading and the config are unchanged. */
export class CachedSolanaQuote implements CachedQuote<ReadySolana> {
  readonly lifetimeMs = QUOTE_LIFETIME_MS;
  private readonly text: SolanaQuoteText;
  private readonly version: number;
  private readonly moment: ReadySolana['services']['pools']['moment'];

  constructor(
    private readonly ready: ReadySolana,
    readonly quote: SolanaQuote,
  ) {
    const { version, moment } = ready.services.pools;
    this.version = version;
    this.moment = moment;
    this.text = quoteText(ready.chain.spec, quote);
  }

  get chain(): string {
    return this.ready.chain.spec.slug;
  }

  isCurrent({ services, deployment }: ReadySolana): boolean {
    const { pools } = services;
    return (
      services === this.ready.services &&
      deployment === this.ready.deployment &&
      pools.version === this.version &&
      pools.moment === this.moment
    );
  }

  write(issue: QuoteIssue, expiry: string): string {
    return writeQuote(this.text, issue, expiry);
  }
}
