import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import { floorOf, type IssuedQuote, type PricedQuote, tokenIn, tokenOut, venueOf } from '../model/evm-quote.js';

/** The text of a priced quote, in pieces between which each answer writes its own values. */
export interface EvmQuoteText {
  readonly upToSeconds: string;
  /** After the id. */
  readonly upToExpiry: string;
  readonly rest: string;
}

/**
 * Writes a quote as JSON, with the fields of EvmQuote in their order. It concatenates text, because quotes are answered
 * more often than anything else; the inserted values are digits, hex, and labels as the manifest has them, so none needs
 * escaping.
 */
export function quoteText(quote: PricedQuote, slippageBps = quote.slippageBps): EvmQuoteText {
  const { chain, amountIn, amountOut, head } = quote;
  const { formatAddress, formatBlockHash } = chain.ids;
  const upToSeconds = [
    `{"inputMint":"${formatAddress(quote.inputMint)}","inAmount":"${amountIn}",`,
    `"outputMint":"${formatAddress(quote.outputMint)}","outAmount":"${amountOut}",`,
    `"otherAmountThreshold":"${floorOf(quote, slippageBps)}","swapMode":"ExactIn","slippageBps":${slippageBps},`,
    `"priceImpactPct":"0","routePlan":[${stepsText(quote)}],"contextSlot":${head.height},"timeTaken":`,
  ].join('');
  const upToExpiry = [
    `,"chain":"${chain.slug}","chainId":${chain.chainId!},"router":"${formatAddress(quote.router)}",`,
    `"gasEstimate":"${quote.gasEstimate}","blockHash":"${formatBlockHash(head.hash)}","expiresAt":"`,
  ].join('');
  const warnings = quote.warnings.length === 0 ? '' : `"${quote.warnings.join('","')}"`;
  const rest = `","candidates":${quote.candidates},"impactBps":${quote.impactBps},"inUsd":${quote.inUsd},"outUsd":${quote.outUsd},"warnings":[${warnings}]}`;
  return { upToSeconds, upToExpiry, rest };
}

export function writeQuote({ upToSeconds, upToExpiry, rest }: EvmQuoteText, issue: QuoteIssue, expiry: string): string {
  return `${upToSeconds}${issue.seconds},"quoteId":"${issue.quoteId}"${upToExpiry}${expiry}${rest}`;
}

/** The quote as the answer of a build shows it, with the slippage of the build and the floor that follows from it. */
export function quoteBody(quote: IssuedQuote, slippageBps = quote.priced.slippageBps): EvmQuote {
  const text = quoteText(quote.priced, slippageBps);
  return JSON.parse(writeQuote(text, quote, new Date(quote.expiresAt).toISOString())) as EvmQuote;
}

function stepsText(quote: PricedQuote): string {
  const { chain, route } = quote;
  if (route === null) return '';
  const { formatAddress } = chain.ids;
  const venue = venueOf(chain, route);
  const [label, venueId] = [JSON.stringify(venue.label), JSON.stringify(venue.id)];
  let steps = '';
  for (const hop of route.hops) {
    const { pool, amountIn, amountOut, feeAmount } = hop;
    const inputMint = formatAddress(tokenIn(hop));
    steps +=
      `${steps === '' ? '' : ','}{"swapInfo":{"ammKey":"${formatAddress(pool.id)}","label":${label},` +
      `"inputMint":"${inputMint}","inAmount":"${amountIn}","outputMint":"${formatAddress(tokenOut(hop))}","outAmount":"${amountOut}",` +
      `"feeAmount":"${feeAmount}","feeMint":"${inputMint}"},"percent":100,"bps":10000,"fee":${pool.feePpm},` +
      `"venueId":${venueId}}`;
  }
  return steps;
}
