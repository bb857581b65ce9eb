import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { RouterError } from '#libs/serve/client/router-error.js';
import { heightWords } from '../format/heights.js';
import { now } from '../state/clock.js';
import type { CoinBook } from './coins.js';
import { secondsLeft, validUntil } from './countdown.js';
import type { QuoteFeed, ReceivedQuote } from './quote-feed.js';
import { warningSentences } from './quote-warnings.js';
import { RouterProblem } from './router-problem.js';
import type { SwapForm } from './swap-form.js';
import { shownAmount } from './units.js';

/** What the quotes of all chains have. */
export interface AnyQuote {
  readonly quoteId: string;
  readonly expiresAt: string;
  readonly warnings?: readonly string[];
}

interface QuoteProps<Q extends AnyQuote> {
  /** How long a quote is held. */
  lifetimeMs: number;
  form: SwapForm;
  book: CoinBook;
  feed: QuoteFeed<Q>;
  build: { readonly state: ReadonlySignal<{ readonly name: string }> };
  /** Its route and figures. */
  show: (quote: Q) => ComponentChildren;
}

/** The quote of what the form says: asked again every few seconds, and held still while it is built. */
export function QuoteCard<Q extends AnyQuote>({ lifetimeMs, form, book, feed, build, show }: QuoteProps<Q>) {
  const { request, received, fresh, error } = feed.state.value;
  const built = build.state.value.name === 'built';
  return (
    <section class="card quote-card" aria-labelledby="quote-title" data-quote={received?.quote.quoteId}>
      <header>
        <h2 id="quote-title">Quote</h2>
        {received !== null && fresh && !built && <Countdown received={received} lifetimeMs={lifetimeMs} />}
        {built && <span class="badge">as it was built</span>}
      </header>
      {error !== null && (
        <RouterProblem error={error}>
          <Remedy error={error} form={form} book={book} />
        </RouterProblem>
      )}
      {received !== null && (
        <div class={fresh ? 'quote' : 'quote faint'} aria-busy={!fresh}>
          {warningSentences(received.quote).map((sentence) => (
            <p class="quiet" role="status" key={sentence}>
              {sentence}
            </p>
          ))}
          {show(received.quote)}
        </div>
      )}
      {received === null && error === null && request !== null && (
        <div class="loading" role="status" aria-label="Asking for a quote" />
      )}
      {request === null && (
        <p class="quiet">
          An amount and two tokens give a quote: the best route over the verified venues of {form.chain}, priced at its
          newest {heightWords(form.chain).one}.
        </p>
      )}
    </section>
  );
}

function Countdown({ received, lifetimeMs }: { received: ReceivedQuote<AnyQuote>; lifetimeMs: number }) {
  const until = validUntil(received.quote, received.at, lifetimeMs);
  const left = secondsLeft(until, now.value);
  return (
    <span class={`badge countdown ${left === 0 ? 'badge-bad' : 'badge-good'}`} data-left={left}>
      {left === 0 ? 'expired' : `valid for ${left} s`}
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
