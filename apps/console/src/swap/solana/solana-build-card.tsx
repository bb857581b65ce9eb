import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import { whole } from '../../format/numbers.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Figure } from '../../ui/figure.js';
import { BuildActions, BuildFrame } from '../build-frame.js';
import type { CoinChain } from '../coins.js';
import { RunPanel } from '../demo/run-panel.js';
import { bpsText, differenceInHundredths, shownAmount } from '../units.js';
import type { Swap } from '../use-swap.js';
import { SolanaRun } from './solana-run.js';
import type { SolanaDemo } from './use-solana-demo.js';

interface BuildProps extends Pick<Swap<SolQuote, SolSwapAnswer, SolSwapRequest>, 'form' | 'feed' | 'build'> {
  row: CoinChain;
  demo: SolanaDemo | null;
}

/** The unsigned transaction, the result of its simulation, and the next step. */
export function SolanaBuildCard({ row, form, feed, build, demo }: BuildProps) {
  return (
    <BuildFrame
      {...{ feed, build }}
      badge={({ lastValidBlockHeight }) => <span class="badge">lands up to height {whole(lastValidBlockHeight)}</span>}
      show={(answer, renew) => <Built {...{ row, form, demo, answer, renew }} />}
    />
  );
}

interface BuiltProps extends Pick<BuildProps, 'row' | 'form' | 'demo'> {
  answer: SolSwapAnswer;
  renew: () => void;
}

function Built({ row, form, demo, answer, renew }: BuiltProps) {
  const run = useSignal<SolanaRun | null>(null);
  useEffect(() => () => run.peek()?.stop(), [run]);
  const [input, output] = [form.input.value, form.output.value];
  const wallet = demo?.chain.wallet.value ?? null;
  const mine = demo?.signs(form.wallet.value) === true;
  const state = run.value?.state.value ?? null;
  if (input === null || output === null) return null;

  const sign = (): void => {
    if (demo === null || wallet === null) return;
    const started = new SolanaRun({ node: demo.chain.node, wallet, answer, input, output });
    run.value = started;
    void started.run();
  };
  const { simulation, quoteResponse } = answer;
  const difference = differenceInHundredths(BigInt(simulation.outAmount), BigInt(quoteResponse.outAmount));
  return (
    <>
      {state === null && (
        <dl class="figures">
          <Figure
            name="Simulated to arrive"
            value={`${shownAmount(BigInt(simulation.outAmount), output.decimals)} ${output.symbol}`}
            note={`${bpsText(difference)} against the quote`}
          />
          <Figure
            name="Compute units"
            value={whole(simulation.computeUnits)}
            note={`of at most ${whole(answer.computeUnitLimit)}`}
          />
          <Figure
            name="Priority fee"
            value={`${shownAmount(BigInt(answer.prioritizationFeeLamports), row.nativeCurrency.decimals)} ${row.nativeCurrency.symbol}`}
          />
          <Figure name="On slot" value={whole(simulation.slot)} />
        </dl>
      )}
      {state !== null && <RunPanel state={state} chain={row.chain} input={input} output={output} />}
      {!mine && (
        <p class="own-wallet">
          One transaction, version 1. Sign it with your own wallet and send it from your own node.{' '}
          <CopyButton text={answer.swapTransaction} what="the transaction in base64" />
        </p>
      )}
      <BuildActions mine={mine} run={state} onSign={sign} renew={renew} />
    </>
  );
}
