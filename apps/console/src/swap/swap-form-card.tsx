import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Clients } from '../state/clients.js';
import { setTo } from '../state/set.js';
import { Choices } from '../ui/choices.js';
import { Icon } from '../ui/icons.js';
import { Trouble } from '../ui/trouble.js';
import { CoinDialog } from './coin-dialog.js';
import { AmountField, ReceiveField } from './coin-field.js';
import { type CoinBook, type CoinChain, isNative } from './coins.js';
import type { DemoSide } from './demo/local-demo.js';
import type { QuoteState } from './quote-feed.js';
import { impactText, isRisky } from './quote-warnings.js';
import { SlippageField } from './slippage-field.js';
import type { SwapForm } from './swap-form.js';
import { WalletField } from './wallet-field.js';

interface FormProps<Q extends Quoted> {
  clients: Clients;
  row: CoinChain;
  /** Every chain that can be chosen. */
  chains: readonly string[];
  form: SwapForm;
  book: CoinBook;
  feed: { readonly state: ReadonlySignal<QuoteState<Q>> };
  build: { readonly state: ReadonlySignal<{ readonly name: string }> };
  demo: DemoSide | null;
  onChain: (chain: string) => void;
  /** Asks for the transactions of a quote. */
  onBuild: (quote: Q, wallet: string) => void;
}

interface Quoted {
  readonly outAmount: string;
  readonly inUsd?: number | null;
  readonly outUsd?: number | null;
  readonly impactBps?: number | null;
}

/** What is swapped for what, and who signs. Sending it asks for the transactions of the quote that is shown. */
export function SwapFormCard<Q extends Quoted>(props: FormProps<Q>) {
  const { clients, row, chains, form, book, feed, build, demo, onChain, onBuild } = props;
  const choosing = useSignal<'input' | 'output' | null>(null);
  /** How often the user submitted with something missing: from then on that is an error, and gets the focus. */
  const tries = useSignal(0);
  /** The user submitted before the quote was there: this request is built once it is. */
  const requestToBuild = useRef<string | null>(null);
  /** The request that the user was warned of: the next press builds it. */
  const warned = useSignal<string | null>(null);
  const card = useRef<HTMLFormElement>(null);
  const { name } = build.state.value;
  const quoted = feed.state.value;
  const missing = whatIsMissing(form, feed);
  const isWarned = warned.value !== null && warned.value === JSON.stringify(quoted.request);

  const go = ({ quote }: { quote: Q }, request: unknown): void => {
    tries.value = 0;
    const asked = JSON.stringify(request);
    if (isRisky(quote) && warned.peek() !== asked) {
      warned.value = asked;
      return;
    }
    warned.value = null;
    onBuild(quote, form.wallet.peek().trim());
  };
  useSignalEffect(() => {
    const { received, fresh, request, error } = feed.state.value;
    if (requestToBuild.current === null) return;
    if (error !== null || JSON.stringify(request) !== requestToBuild.current) requestToBuild.current = null;
    else if (fresh && received !== null) {
      requestToBuild.current = null;
      go(received, request);
    }
  });

  const submit = (event: Event): void => {
    event.preventDefault();
    const { received, fresh, request, error } = feed.state.peek();
    const ready = request !== null && form.walletTrouble.peek() === null;
    if (ready && !fresh && error === null) {
      requestToBuild.current = JSON.stringify(request);
      return;
    }
    if (!ready || !fresh || received === null) {
      tries.value++;
      return;
    }
    go(received, request);
  };

  useEffect(() => {
    if (tries.value > 0) card.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [tries.value]);

  const balances = demo?.balances.value ?? null;
  const [input, output] = [form.input.value, form.output.value];
  const mine = demo?.signs(form.wallet.value) === true;
  return (
    <form ref={card} class="card swap-form" aria-label="Swap" onSubmit={submit} noValidate>
      {chains.length > 1 && (
        <Choices label="Chain" class="chains-choice" values={chains} chosen={row.chain} onChoose={onChain} />
      )}
      <AmountField
        form={form}
        worth={quoted.fresh ? (quoted.received?.quote.inUsd ?? null) : null}
        tried={tries.value > 0}
        balance={mine ? (balances?.input ?? null) : null}
        spendable={input !== null && !isNative(input)}
        onChoose={setTo(choosing, 'input')}
      />
      <div class="turn">
        <button type="button" class="plain" aria-label="Swap the other way round" onClick={() => form.turnRound()}>
          <Icon name="turn" />
        </button>
      </div>
      <ReceiveField
        coin={output}
        state={quoted}
        balance={mine ? (balances?.output ?? null) : null}
        onChoose={setTo(choosing, 'output')}
      />
      {!form.isWrap(row.wrappedNative) && <SlippageField form={form} />}
      <WalletField form={form} demo={demo} tried={tries.value > 0} />
      {name !== 'built' && (
        <button type="submit" class="primary large" disabled={name === 'building'} aria-describedby="missing">
          {name === 'building' ? 'Building…' : isWarned ? 'Build it all the same' : 'Build transactions'}
        </button>
      )}
      {isWarned && (
        <Trouble
          text={`This swap moves the price by ${impactText(quoted.received?.quote ?? {})}. Press again to build it all the same.`}
        />
      )}
      <p id="missing" class="quiet missing">
        {name === 'built' ? 'Built. Changing anything discards this build.' : (missing ?? PROMISE)}
      </p>
      {choosing.value !== null && (
        <CoinDialog
          {...{ clients, row, book }}
          title={choosing.value === 'input' ? 'Token to pay with' : 'Token to receive'}
          onChoose={(coin) => {
            form.choose(choosing.peek()!, coin);
            choosing.value = null;
          }}
          onClose={setTo(choosing, null)}
        />
      )}
    </form>
  );
}

const PROMISE = 'Unsigned, and simulated on the newest block. Nothing is sent.';

/** The first thing that keeps it from being built; null when nothing does. */
function whatIsMissing(form: SwapForm, feed: FormProps<Quoted>['feed']): string | null {
  const [amount, slippage] = [form.amount.value, form.slippage.value];
  if (form.input.value === null || form.output.value === null) return 'Choose two tokens.';
  if (amount === null) return 'Enter an amount.';
  if ('trouble' in amount) return amount.trouble;
  if ('trouble' in slippage) return slippage.trouble;
  if (!feed.state.value.fresh) return feed.state.value.error === null ? 'Waiting for a quote…' : 'There is no quote.';
  return form.walletTrouble.value;
}
