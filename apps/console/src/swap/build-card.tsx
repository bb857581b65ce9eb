import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import { whole } from '../format/numbers.js';
import { longSpan } from '../format/times.js';
import { now } from '../state/clock.js';
import { CopyButton } from '../ui/copy-button.js';
import { Figure } from '../ui/figure.js';
import { BuildActions, BuildFrame } from './build-frame.js';
import type { CoinBook } from './coins.js';
import { DemoRun } from './demo/demo-run.js';
import { RunPanel } from './demo/run-panel.js';
import type { Demo } from './demo/use-demo.js';
import type { QuoteFeed } from './quote-feed.js';
import type { SwapBuild } from './swap-build.js';
import type { SwapForm } from './swap-form.js';
import { TransactionList } from './transaction-list.js';
import { bpsText, differenceInHundredths, shownAmount } from './units.js';

interface BuildProps {
  row: EvmChainRow;
  form: SwapForm;
  book: CoinBook;
  feed: QuoteFeed;
  build: SwapBuild;
  demo: Demo | null;
}

/** The unsigned transactions, the result of their simulation, and the next step. */
export function BuildCard({ row, form, book, feed, build, demo }: BuildProps) {
  return (
    <BuildFrame
      {...{ feed, build }}
      badge={(answer) => <Deadline answer={answer} />}
      show={(answer, renew) => <Built {...{ row, form, book, demo, answer, renew }} />}
    />
  );
}

interface BuiltProps extends Omit<BuildProps, 'feed' | 'build'> {
  answer: EvmSwapAnswer;
  renew: () => void;
}

function Built({ row, form, book, demo, answer, renew }: BuiltProps) {
  const run = useSignal<DemoRun | null>(null);
  useEffect(() => () => run.peek()?.stop(), [run]);
  const [input, output] = [form.input.value, form.output.value];
  const wallet = demo?.chain.wallet.value ?? null;
  const mine = wallet !== null && answer.swapTransaction.from.toLowerCase() === wallet.address;
  const state = run.value?.state.value ?? null;

  const sign = (): void => {
    if (demo === null || wallet === null || input === null || output === null) return;
    const started = new DemoRun({ node: demo.chain.node, wallet, answer, input, output });
    run.value = started;
    void started.run();
  };

  return (
    <>
      <TransactionList answer={answer} row={row} book={book} steps={state?.steps ?? null} />
      {output !== null && state === null && (
        <dl class="figures">
          <Figure
            name="Simulated to arrive"
            value={`${shownAmount(BigInt(answer.simulation.outAmount), output.decimals)} ${output.symbol}`}
            note={`${simulatedDifference(answer)} against the quote`}
          />
          <Figure name="Gas of all" value={shownAmount(BigInt(answer.simulation.gasUsed), 0)} note="simulated" />
          <Figure
            name="On block"
            value={whole(answer.simulation.blockNumber)}
            note={<code>{answer.simulation.blockHash.slice(0, 12)}…</code>}
          />
        </dl>
      )}
      {state !== null && input !== null && output !== null && (
        <RunPanel state={state} chain={row.chain} input={input} output={output} />
      )}
      {!mine && (
        <p class="own-wallet">
          Sign these with your own wallet and send them in this order, from your own node.{' '}
          <CopyButton text={allOf(answer)} what="all transactions as JSON" />
        </p>
      )}
      <BuildActions mine={mine} run={state} onSign={sign} renew={renew} />
    </>
  );
}

/** After it the chain refuses the swap. */
function Deadline({ answer }: { answer: EvmSwapAnswer }) {
  const left = Date.parse(answer.expiresAt) - now.value;
  return (
    <span class={`badge ${left <= 0 ? 'badge-bad' : ''}`}>
      {left <= 0 ? 'past its deadline' : `good for ${longSpan(left)}`}
    </span>
  );
}

const simulatedDifference = ({ simulation, quoteResponse }: EvmSwapAnswer): string =>
  bpsText(differenceInHundredths(BigInt(simulation.outAmount), BigInt(quoteResponse.outAmount)));

const allOf = ({ setupTransactions, swapTransaction }: EvmSwapAnswer): string =>
  JSON.stringify([...setupTransactions, swapTransaction], null, 2);
