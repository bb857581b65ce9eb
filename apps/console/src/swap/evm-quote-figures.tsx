import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import { whole } from '../format/numbers.js';
import { Figure } from '../ui/figure.js';
import type { CoinBook } from './coins.js';
import { impactText } from './quote-warnings.js';
import { rateOf } from './rate.js';
import { RouteLine } from './route-line.js';
import { shownAmount, slippageText } from './units.js';

/** An EVM quote: its route, and what it promises. */
export function EvmQuoteFigures({ quote, book, wrapped }: { quote: EvmQuote; book: CoinBook; wrapped: string }) {
  return (
    <>
      <RouteLine quote={quote} book={book} wrapped={wrapped} />
      <QuoteFigures quote={quote} book={book} />
    </>
  );
}

function QuoteFigures({ quote, book }: { quote: EvmQuote; book: CoinBook }) {
  const [input, output] = [book.get(quote.inputMint), book.get(quote.outputMint)];
  if (input === null || output === null) return null;
  const wrap = quote.routePlan.length === 0;
  const out = BigInt(quote.outAmount);
  const impact = wrap ? null : impactText(quote);
  return (
    <dl class="figures">
      <Figure name="Rate" value={rateOf(quote, input, output)} note={`for one ${input.symbol}`} />
      <Figure
        name="At least"
        value={
          <span data-floor={quote.otherAmountThreshold}>
            {shownAmount(BigInt(quote.otherAmountThreshold), output.decimals)} {output.symbol}
          </span>
        }
        note={wrap ? 'one for one' : `${slippageText(quote.slippageBps)}% below ${shownAmount(out, output.decimals)}`}
      />
      {impact !== null && <Figure name="Price impact" value={impact} note="beyond the pools’ fees" />}
      <Figure name="Gas" value={shownAmount(BigInt(quote.gasEstimate), 0)} note="estimated" />
      <Figure
        name="Routes compared"
        value={whole(quote.candidates)}
        note={wrap ? 'none is needed' : `in ${(quote.timeTaken * 1_000).toFixed(2)} ms`}
      />
      <Figure
        name="Priced at block"
        value={whole(quote.contextSlot)}
        note={<code>{quote.blockHash.slice(0, 12)}…</code>}
      />
    </dl>
  );
}
