import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { whole } from '../format/numbers.js';
import { Figure } from '../ui/figure.js';
import type { CoinBook } from './coins.js';
import { ComparedFigure, PromiseFigures } from './promise-figures.js';
import { RouteLine } from './route-line.js';
import { shownAmount } from './units.js';

/** An EVM quote: its route, and what it promises. */
export function EvmQuoteFigures({ quote, book, wrapped }: { quote: EvmQuote; book: CoinBook; wrapped: string }) {
  const [input, output] = [book.get(quote.inputMint), book.get(quote.outputMint)];
  const wrap = quote.routePlan.length === 0;
  return (
    <>
      <RouteLine quote={quote} book={book} wrapped={wrapped} />
      {input !== null && output !== null && (
        <dl class="figures">
          <PromiseFigures {...{ quote, input, output, wrap }} />
          <Figure name="Gas" value={shownAmount(BigInt(quote.gasEstimate), 0)} note="estimated" />
          {wrap ? (
            <Figure name="Routes compared" value={whole(quote.candidates)} note="none is needed" />
          ) : (
            <ComparedFigure quote={quote} />
          )}
          <Figure
            name="Priced at block"
            value={whole(quote.contextSlot)}
            note={<code>{quote.blockHash.slice(0, 12)}…</code>}
          />
        </dl>
      )}
    </>
  );
}
