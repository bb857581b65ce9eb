import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LaunchChain, LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import { into } from '../state/set.js';
import type { SwapBuild } from '../swap/swap-build.js';
import { Choices } from '../ui/choices.js';
import { TextInput } from '../ui/text-input.js';
import { FieldTrouble } from '../ui/trouble.js';
import type { Coin, LaunchForm, TextField } from './launch-form.js';

/** The unsigned transactions of a launch, built of what the form says. */
export type LaunchBuild = SwapBuild<LaunchCreated, Record<string, unknown>>;

interface FormProps {
  row: LaunchChain;
  rows: readonly LaunchChain[];
  form: LaunchForm;
  build: LaunchBuild;
  coin: Coin;
  onChain: (slug: string) => void;
  /** Next to the wallet. */
  children: ComponentChildren;
}

/** What the token is to be. Sending it asks for its transactions. */
export function LaunchFormCard({ row, rows, form, build, coin, onChain, children }: FormProps) {
  const tried = useSignal(0);
  const card = useRef<HTMLFormElement>(null);
  const { name } = build.state.value;
  const troubles = form.troubles.value;
  const text = (field: TextField, label: string, placeholder = '') => (
    <Field
      {...{ label, placeholder }}
      id={`launch-${field}`}
      value={form.texts.value[field]}
      trouble={tried.value > 0 || form.texts.value[field] !== '' ? troubles[field] : undefined}
      onText={(value) => form.set(field, value)}
    />
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    const request = form.request.peek();
    if (request === null) tried.value++;
    else void build.build(request);
  };
  useEffect(() => {
    if (tried.value > 0) card.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [tried.value]);

  return (
    <form ref={card} class="card swap-form" aria-label="Launch a token" onSubmit={submit} noValidate>
      {rows.length > 1 && (
        <Choices
          label="Chain"
          class="chains-choice"
          values={rows.map(({ slug }) => slug)}
          chosen={row.slug}
          onChoose={onChain}
        />
      )}
      <Choices
        label="Launchpad"
        class="chains-choice"
        values={row.platforms}
        chosen={form.texts.value.platform}
        onChoose={(platform) => form.set('platform', platform)}
      />
      {text('name', 'Name', 'Spring Tide')}
      {text('symbol', 'Symbol', 'TIDE')}
      {text('image', 'Picture', 'https://…')}
      {text('description', 'Description')}
      {text('website', 'Website', 'https://…')}
      {text('twitter', 'Twitter', 'https://…')}
      {text('telegram', 'Telegram', 'https://…')}
      <Field
        id="launch-buy"
        label={`First buy, in ${coin.symbol}`}
        placeholder="0"
        value={form.buyText.value}
        trouble={troubles.buy}
        onText={into(form.buyText)}
      />
      <Field
        id="launch-slippage"
        label="Slippage, %"
        value={form.slippageText.value}
        trouble={troubles.slippage}
        onText={into(form.slippageText)}
      />
      {text('rpcUrl', 'Node that simulates it', 'https://…')}
      {text('creator', 'Wallet that will sign', row.family === 'evm' ? '0x…' : '')}
      {children}
      <button type="submit" class="primary large" disabled={name === 'building'}>
        {name === 'building' ? 'Building…' : 'Preview and cost'}
      </button>
      <p class="quiet missing">Unsigned, and simulated at the head of the node. Nothing is sent.</p>
    </form>
  );
}

interface FieldProps {
  id: string;
  label: string;
  placeholder?: string;
  value: string;
  trouble: string | undefined;
  onText: (value: string) => void;
}

function Field({ id, label, placeholder = '', value, trouble, onText }: FieldProps) {
  return (
    <div class="row-field launch-field">
      <label for={id}>{label}</label>
      <TextInput {...{ id, placeholder, value, trouble, onText }} maxLength={2048} />
      <FieldTrouble field={id} text={trouble} />
    </div>
  );
}
