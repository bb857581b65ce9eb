import type { RouterClient, SwapRequest } from '#libs/serve/client/router-client.js';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { Clients } from '../state/clients.js';
import type { SwapPair } from '../state/route.js';
import { BuildCard } from './build-card.js';
import { useDemo } from './demo/use-demo.js';
import { EvmQuoteFigures } from './evm-quote-figures.js';
import { QuoteCard } from './quote-card.js';
import { SwapColumns } from './swap-columns.js';
import { EVM_WALLETS } from './swap-form.js';
import { type SwapApi, useSwap } from './use-swap.js';

const EVM: SwapApi<EvmQuote, EvmSwapAnswer, SwapRequest> = {
  wallets: EVM_WALLETS,
  quote: (router, request, signal) => router.quote(request, { signal }),
  swap: (router, request, signal) => router.swap(request, { signal }),
};

interface ChainSwapProps {
  clients: Clients;
  router: RouterClient;
  row: EvmChainRow;
  /** Every chain that can be chosen. */
  chains: readonly string[];
  ready: boolean;
  reasons: readonly string[];
  pair: SwapPair | null;
  onChain: (chain: string) => void;
}

/** One EVM chain's form, the quote of what it says, and the transactions that were built of it. */
export function ChainSwap({ clients, router, row, chains, ready, reasons, pair, onChain }: ChainSwapProps) {
  const { chain } = row;
  const swap = useSwap({ clients, router, row, pair, api: EVM });
  const { form, book, feed, build } = swap;
  const demo = useDemo(row, form);
  return (
    <SwapColumns {...{ clients, row, chains, swap, demo, onChain }}>
      {!ready && (
        <ul class="reasons" role="status">
          {reasons
            .filter((reason) => reason.startsWith(chain))
            .map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
        </ul>
      )}
      <QuoteCard
        {...{ form, book, feed, build }}
        lifetimeMs={row.quoteLifetimeMs}
        show={(quote) => <EvmQuoteFigures quote={quote} book={book} wrapped={row.wrappedNative} />}
      />
      <BuildCard {...{ row, form, book, feed, build, demo }} />
    </SwapColumns>
  );
}
