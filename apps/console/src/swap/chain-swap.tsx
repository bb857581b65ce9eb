import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError } from '#libs/client/api-error.js';
import type { RouterClient } from '#libs/client/router-client.js';
import type { EvmChainRow } from '#libs/protocol/rest/evm/chain-body.js';
import { type Clients, keyRefused } from '../state/clients.js';
import { type SwapPair, swapLink } from '../state/route.js';
import { BuildCard } from './build-card.js';
import { addressOfName, type Coin, CoinBook, CoinError, coinName, nativeCoin } from './coins.js';
import { useDemo } from './demo/use-demo.js';
import { QuoteCard } from './quote-card.js';
import { QuoteFeed } from './quote-feed.js';
import { SwapBuild } from './swap-build.js';
import { SwapForm } from './swap-form.js';
import { SwapFormCard } from './swap-form-card.js';

/** Kept while the user visits another page and comes back. */
const forms = new Map<string, SwapForm>();

interface ChainSwapProps {
  clients: Clients;
  router: RouterClient;
  row: EvmChainRow;
  /** Every chain that can be chosen. */
  chains: readonly EvmChainRow[];
  ready: boolean;
  reasons: readonly string[];
  pair: SwapPair | null;
  onChain: (chain: string) => void;
}

/** One chain's form, the quote of what it says, and the transactions that were built of it. */
export function ChainSwap({ clients, router, row, chains, ready, reasons, pair, onChain }: ChainSwapProps) {
  const { chain } = row;
  const form = useMemo(() => formOf(chain), [chain]);
  const book = useMemo(() => new CoinBook(clients.rest, row), [clients, chain]);
  const feed = useMemo(
    () => new QuoteFeed({ ask: (request, signal) => router.quote(request, { signal }), ended: keyRefused }),
    [router],
  );
  const build = useMemo(
    () => new SwapBuild({ ask: (request, signal) => router.swap(request, { signal }), ended: keyRefused }),
    [router],
  );
  const hidden = useHidden();
  const trouble = useSignal<string | null>(null);
  const demo = useDemo(row, form);

  useEffect(() => {
    void begin({ clients, book, row, form, pair }).catch((error: unknown) => {
      if (keyRefused(error)) return;
      if (!(error instanceof CoinError || error instanceof ApiError)) throw error;
      trouble.value = error.message;
    });
  }, [clients, book, form, pair, trouble]);
  useSignalEffect(() => {
    // Transactions are those of one quote and one wallet.
    void form.wallet.value;
    build.drop();
    feed.want(form.request.value);
  });
  useSignalEffect(() => {
    const { name } = build.state.value;
    if (hidden.value || name === 'building' || name === 'built') feed.pause();
    else feed.resume();
  });
  useSignalEffect(() => {
    const [input, output] = [form.input.value, form.output.value];
    if (input === null || output === null) return;
    const names = { input: coinName(input.address), output: coinName(output.address) };
    // Without a step in the history, and without building the page again.
    history.replaceState(null, '', swapLink({ chain, ...names }));
  });
  useEffect(
    () => () => {
      feed.stop();
      build.drop();
    },
    [feed, build],
  );

  return (
    <div class="swap-columns">
      <div class="swap-main">
        <SwapFormCard {...{ clients, row, chains, form, book, feed, build, demo, onChain }} />
        {trouble.value !== null && (
          <p class="trouble" role="alert">
            {trouble.value}
          </p>
        )}
      </div>
      <div class="swap-side">
        {!ready && (
          <ul class="reasons" role="status">
            {reasons
              .filter((reason) => reason.startsWith(chain))
              .map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
          </ul>
        )}
        <QuoteCard {...{ row, form, book, feed, build }} />
        <BuildCard {...{ row, form, book, feed, build, demo }} />
      </div>
    </div>
  );
}

/** A page that is not visible needs no quote. */
function useHidden(): Signal<boolean> {
  const hidden = useSignal(document.hidden);
  useEffect(() => {
    const look = (): void => {
      hidden.value = document.hidden;
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [hidden]);
  return hidden;
}

function formOf(chain: string): SwapForm {
  const form = forms.get(chain) ?? new SwapForm(chain);
  forms.set(chain, form);
  return form;
}

interface Begin {
  clients: Clients;
  book: CoinBook;
  row: EvmChainRow;
  form: SwapForm;
  pair: SwapPair | null;
}

/** The pair of the link; else the one of before; else the coin for the deepest token. */
async function begin({ clients, book, row, form, pair }: Begin): Promise<void> {
  if (pair !== null) {
    const [input, output] = await Promise.all(
      [pair.input, pair.output].map((name) => book.load(addressOfName(name))) as [Promise<Coin>, Promise<Coin>],
    );
    if (input.address === output.address) throw new CoinError('A token cannot be swapped for itself');
    form.input.value = input;
    form.output.value = output;
  } else if (form.input.peek() === null && form.output.peek() === null) {
    form.input.value = nativeCoin(row);
    const { data } = await clients.rest.screener({ chain: row.chain, sort: 'liquidity', limit: 5 });
    const deepest = data.find(({ address }) => address.toLowerCase() !== row.wrappedNative.toLowerCase());
    if (deepest === undefined) return;
    const coin = await book.load(deepest.address.toLowerCase());
    if (form.output.peek() === null) form.choose('output', coin);
  }
}
