import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import type { SolanaQuote } from '../model/solana-quote.js';
import { quoteBody } from './quote-body.js';

/** The text of a priced quote around what each answer adds to it. */
export interface SolanaQuoteText {
  readonly before: string;
  readonly after: string;
}

const issued = (seconds: number, quoteId: string, expiry: string): string =>
  `"timeTaken":${seconds},"quoteId":"${quoteId}","expiresAt":"${expiry}"`;
/** Inside of a value its quotation marks would be escaped. */
const NOTHING_ISSUED = issued(0, '', '');

/** A quote is answered more often than it is priced: what stays the same is written once. */
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
