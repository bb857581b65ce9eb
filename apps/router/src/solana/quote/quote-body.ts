import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { SolQuote, SolRouteStep } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import type { SolanaQuote, SolanaQuoteLeg } from '../model/solana-quote.js';

/** A quote as it is answered, with the fields of SolQuote in their order. */
export function quoteBody(
  { ids: { formatAddress } }: Pick<ChainSpec, 'ids'>,
  quote: SolanaQuote,
  { quoteId, seconds }: Pick<QuoteIssue, 'quoteId' | 'seconds'>,
  expiresAt: string,
): SolQuote {
  const { impactPpm, feeBps } = quote;
  return {
    inputMint: formatAddress(quote.inputMint),
    inAmount: String(quote.amountIn),
    outputMint: formatAddress(quote.outputMint),
    outAmount: String(quote.amountOut),
    otherAmountThreshold: String(quote.threshold),
    swapMode: quote.exact === 'in' ? 'ExactIn' : 'ExactOut',
    slippageBps: quote.slippageBps,
    platformFee: feeBps === 0 ? null : { amount: String(quote.feeAmount), feeBps },
    priceImpactPct: fraction(impactPpm ?? 0),
    routePlan: quote.legs.flatMap((leg) => stepsOf(leg, formatAddress)),
    contextSlot: quote.slot,
    timeTaken: seconds,
    quoteId,
    expiresAt,
    programId: formatAddress(quote.program),
    candidates: quote.candidates,
    impactBps: impactPpm === null ? null : Math.round(impactPpm / 100),
    inUsd: quote.inUsd,
    outUsd: quote.outUsd,
    warnings: [...quote.warnings],
  };
}

const stepsOf = ({ shareBps, hops }: SolanaQuoteLeg, formatAddress: ChainSpec['ids']['formatAddress']) =>
  hops.map(
    (hop): SolRouteStep => ({
      swapInfo: {
        ammKey: formatAddress(hop.pool),
        label: hop.label,
        inputMint: formatAddress(hop.tokenIn),
        outputMint: formatAddress(hop.tokenOut),
        inAmount: String(hop.amountIn),
        outAmount: String(hop.amountOut),
        feeAmount: String(hop.fee),
        feeMint: formatAddress(hop.feeSide === 'input' ? hop.tokenIn : hop.tokenOut),
      },
      percent: shareBps / 100,
      bps: shareBps,
    }),
  );

/** Parts per million as a decimal fraction without zeros at its end. */
function fraction(ppm: number): string {
  const digits = String(ppm).padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0+$/, '');
  return decimals === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${decimals}`;
}
