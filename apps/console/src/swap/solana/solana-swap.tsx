import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import type { Clients } from '../../state/clients.js';
import type { SwapPair } from '../../state/route.js';
import type { CoinChain } from '../coins.js';
import { QuoteCard } from '../quote-card.js';
import { SwapColumns } from '../swap-columns.js';
import { SOLANA_WALLETS } from '../swap-form.js';
import { type SwapApi, useSwap } from '../use-swap.js';
import { SolanaBuildCard } from './solana-build-card.js';
import { SolanaFigures } from './solana-figures.js';
import { useSolanaDemo } from './use-solana-demo.js';

const SOLANA: SwapApi<SolQuote, SolSwapAnswer, SolSwapRequest> = {
  wallets: SOLANA_WALLETS,
  quote: (router, { chain: _, ...request }, signal) => router.solanaQuote(request, { signal }),
  swap: (router, request, signal) => router.solanaSwap(request, { signal }),
};
/** What the router holds a quote for. */
const LIFETIME_MS = 30_000;

interface SolanaSwapProps {
  clients: Clients;
  router: RouterClient;
  row: CoinChain;
  /** Every chain that can be chosen. */
  chains: readonly string[];
  /** JSON-RPC of a local chain; null on a real one. */
  demoUrl: string | null;
  pair: SwapPair | null;
  onChain: (chain: string) => void;
}

/** The form of Solana, the quote of what it says, and the transaction that was built of it. */
export function SolanaSwap({ clients, router, row, chains, demoUrl, pair, onChain }: SolanaSwapProps) {
  const swap = useSwap({ clients, router, row, pair, api: SOLANA });
  const { form, book, feed, build } = swap;
  const demo = useSolanaDemo(demoUrl, form);
  const [input, output] = [form.input.value, form.output.value];
  return (
    <SwapColumns {...{ clients, row, chains, swap, demo, onChain }}>
      <QuoteCard
        {...{ form, book, feed, build }}
        lifetimeMs={LIFETIME_MS}
        show={(quote) =>
          input !== null && output !== null && <SolanaFigures {...{ quote, book, input, output }} chain={row.chain} />
        }
      />
      <SolanaBuildCard {...{ row, form, feed, build, demo }} />
    </SwapColumns>
  );
}
