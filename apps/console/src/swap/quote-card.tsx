import { RouterError } from '#libs/client/router-error.js';
import type { EvmChainRow } from '#libs/protocol/rest/evm/chain-body.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import { price, UNKNOWN, whole } from '../format/numbers.js';
import { now } from '../state/clock.js';
import { Figure } from '../ui/figure.js';
import type { Coin, CoinBook } from './coins.js';
import { secondsLeft, validUntil } from './countdown.js';
import type { QuoteFeed, ReceivedQuote } from './quote-feed.js';
import { impactText, warningSentences } from './quote-warnings.js';
import { RouteLine } from './route-line.js';
import { RouterProblem } from './router-problem.js';
import type { SwapBuild } from './swap-build.js';
import type { SwapForm } from './swap-form.js';
import { rateText, shownAmount, slippageText } from './units.js';

interface QuoteProps {
  row: EvmChainRow;
  form: SwapForm;
  book: CoinBook;
  feed: QuoteFeed;
  build: SwapBuild;
}

/** The quote of what the form says: asked again every few seconds, and held still while it is built. */
export function QuoteCard({ row, form, book, feed, build }: QuoteProps) {
  const { request, received, fresh, error } = feed.state.value;
  const built = build.state.value.name === 'built';
  return (
    <section class="card quote-card" aria-labelledby="quote-title" data-quote={received?.quote.quoteId}>
      <header>
        <h2 id="quote-title">Quote</h2>
        {received !== null && fresh && !built && <Countdown received={received} row={row} />}
        {built && <span class="badge">as it was built</span>}
      </header>
      {error !== null && (
        <RouterProblem error={error}>
          <Remedy error={error} form={form} book={book} />
        </RouterProblem>
      )}
      {received !== null && (
        <div class={fresh ? 'quote' : 'quote faint'} aria-busy={!fresh}>
          <RouteLine quote={received.quote} book={book} wrapped={row.wrappedNative} />
          {warningSentences(received.quote).map((sentence) => (
            <p class="quiet" role="status" key={sentence}>
              {sentence}
            </p>
          ))}
          <QuoteFigures quote={received.quote} book={book} />
        </div>
      )}
      {received === null && error === null && request !== null && (
        <div class="loading" role="status" aria-label="Asking for a quote" />
      )}
      {request === null && (
        <p class="quiet">
          An amount and two tokens give a quote: the best route over the verified venues of {row.chain}, priced at its
          newest block.
        </p>
      )}
    </section>
  );
}

function Countdown({ received, row }: { received: ReceivedQuote; row: EvmChainRow }) {
  const until = validUntil(received.quote, received.at, row.quoteLifetimeMs);
  const left = secondsLeft(until, now.value);
  return (
    <span class={`badge countdown ${left === 0 ? 'badge-bad' : 'badge-good'}`} data-left={left}>
      {left === 0 ? 'expired' : `holds for ${left} s`}
    </span>
  );
}

/** Where the refusal names a number, one press takes it. */
function Remedy({ error, form, book }: { error: unknown; form: SwapForm; book: CoinBook }) {
  const liquidity = error instanceof RouterError ? error.liquidity : null;
  const coin = form.input.value;
  if (liquidity === null || coin === null || liquidity.maxInAmount === '0') return null;
  const named = book.get(liquidity.mint);
  if (named !== null && named.decimals !== coin.decimals) return null;
  const most = BigInt(liquidity.maxInAmount);
  return (
    <button type="button" onClick={() => form.spend(most)}>
      Use {shownAmount(most, coin.decimals)} {coin.symbol}
    </button>
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

function rateOf(quote: EvmQuote, input: Coin, output: Coin): string {
  const rate = rateText(
    { units: BigInt(quote.inAmount), decimals: input.decimals },
    { units: BigInt(quote.outAmount), decimals: output.decimals },
  );
  // Only for reading: amounts are said to the last digit elsewhere.
  return `${rate === null ? UNKNOWN : price(Number(rate.replaceAll(',', '')))} ${output.symbol}`;
}
