import type { ComponentChildren } from 'preact';
import type { Clients } from '../state/clients.js';
import { Trouble } from '../ui/trouble.js';
import type { CoinChain } from './coins.js';
import type { DemoSide } from './demo/local-demo.js';
import { PairChart } from './pair-chart.js';
import { SwapFormCard } from './swap-form-card.js';
import type { Swap } from './use-swap.js';

/** What is sent back to be built. */
interface BuildOf<Q> {
  quoteResponse: Q;
  userPublicKey: string;
}

interface ColumnsProps<Q extends { outAmount: string }, A> {
  clients: Clients;
  row: CoinChain;
  /** Every chain that can be chosen. */
  chains: readonly string[];
  swap: Swap<Q, A, BuildOf<Q>>;
  demo: DemoSide | null;
  onChain: (chain: string) => void;
  /** The quote and what was built of it. */
  children: ComponentChildren;
}

/** The form of a chain next to what it leads to. */
export function SwapColumns<Q extends { outAmount: string }, A>(props: ColumnsProps<Q, A>) {
  const { clients, row, chains, swap, demo, onChain, children } = props;
  const { form, book, feed, build, trouble } = swap;
  const [input, output] = [form.input.value, form.output.value];
  return (
    <div class="swap-columns">
      <div class="swap-main">
        <SwapFormCard
          {...{ clients, row, chains, form, book, feed, build, demo, onChain }}
          onBuild={(quoteResponse, userPublicKey) => void build.build({ quoteResponse, userPublicKey })}
        />
        <Trouble text={trouble.value} />
      </div>
      <div class="swap-side">
        {children}
        {input !== null && output !== null && <PairChart {...{ clients, row, input, output }} />}
      </div>
    </div>
  );
}
