import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import type { SolanaQuote } from '../model/solana-quote.js';
import { quoteBody } from './quote-body.js';

/** The text of a priced quote, in pieces between which each answer writes its own values. */
export interface SolanaQuoteText {
  readonly before: string;
  readonly after: string;
}

const issued = (seconds: number, quoteId: string, expiry: string): string =>
  `"timeTaken":${seconds},"quoteId":"${quoteId}","expiresAt":"${expiry}"`;
/**
 * Marks a place that each answer fills; inside a value its quotation marks would be escaped, so a value never contains
 * it.
 */
const NOTHING_ISSUED = issued(0, '', '');

/** Writes the unchanging text once: a quote is answered more often than it is priced. */
export function quoteText(spec: Pick<ChainSpec, 'ids'>, quote: SolanaQuote): SolanaQuoteText {
  const whole = JSON.stringify(quoteBody(spec, quote, { quoteId: '', seconds: 0 }, ''));
  const [before, after] = whole.split(NOTHING_ISSUED) as [string, string];
  return { before, after };
}

export const writeQuote = (
  { before, after }: SolanaQuoteText,
  { seconds, quoteId }: QuoteIssue,
  expiry: string,
): string => before + issued(seconds, quoteId, expiry) + after;
