import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { QuoteRequest, RouterClient } from '#libs/serve/client/router-client.js';
import { type Clients, keyRefused } from '../state/clients.js';
import { type SwapPair, swapHome, swapLink } from '../state/route.js';
import {
  addressOfName,
  type Coin,
  CoinBook,
  type CoinChain,
  CoinError,
  coinName,
  nativeCoin,
  plainAddress,
} from './coins.js';
import { QuoteFeed } from './quote-feed.js';
import { SwapBuild } from './swap-build.js';
import { SwapForm, type WalletRule } from './swap-form.js';

/** Kept while the user visits another page and comes back. */
const forms = new Map<string, SwapForm>();

/** How a family of chains is asked for quotes and transactions. */
export interface SwapApi<Q, A, R> {
  readonly wallets: WalletRule;
  quote(router: RouterClient, request: QuoteRequest, signal: AbortSignal): Promise<Q>;
  swap(router: RouterClient, request: R, signal: AbortSignal): Promise<A>;
}

export interface Swap<Q, A, R> {
  readonly form: SwapForm;
  readonly book: CoinBook;
  readonly feed: QuoteFeed<Q>;
  readonly build: SwapBuild<A, R>;
  /** Why the pair of the link cannot be taken; null where it can. */
  readonly trouble: Signal<string | null>;
}

interface SwapUse<Q, A, R> {
  clients: Clients;
  router: RouterClient;
  row: CoinChain;
  pair: SwapPair | null;
  api: SwapApi<Q, A, R>;
}

/** One chain's form, the quotes of what it says, and the transactions that are built of them. */
export function useSwap<Q, A, R>({ clients, router, row, pair, api }: SwapUse<Q, A, R>): Swap<Q, A, R> {
  const { chain } = row;
  const form = useMemo(() => formOf(chain, api.wallets), [chain, api]);
  const book = useMemo(() => new CoinBook(clients.rest, row), [clients, chain]);
  const feed = useMemo(
    () => new QuoteFeed<Q>({ ask: (request, signal) => api.quote(router, request, signal), ended: keyRefused }),
    [router, api],
  );
  const build = useMemo(
    () => new SwapBuild<A, R>({ ask: (request, signal) => api.swap(router, request, signal), ended: keyRefused }),
    [router, api],
  );
  const hidden = useHidden();
  const trouble = useSignal<string | null>(null);

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
    swapHome.value = swapLink({ chain, ...names });
    history.replaceState(null, '', swapHome.value);
  });
  useEffect(
    () => () => {
      feed.stop();
      build.drop();
    },
    [feed, build],
  );
  return { form, book, feed, build, trouble };
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

function formOf(chain: string, wallets: WalletRule): SwapForm {
  const form = forms.get(chain) ?? new SwapForm(chain, wallets);
  forms.set(chain, form);
  return form;
}

interface Begin {
  clients: Clients;
  book: CoinBook;
  row: CoinChain;
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
    const deepest = data.find(({ address }) => plainAddress(address) !== plainAddress(row.wrappedNative));
    if (deepest === undefined) return;
    const coin = await book.load(plainAddress(deepest.address));
    if (form.output.peek() === null) form.choose('output', coin);
  }
}
