import type { ComponentChildren } from 'preact';
import { usd } from '../format/numbers.js';
import { into } from '../state/set.js';
import { Icon } from '../ui/icons.js';
import { TextInput } from '../ui/text-input.js';
import { TokenMark } from '../ui/token-mark.js';
import { FieldTrouble } from '../ui/trouble.js';
import type { Coin } from './coins.js';
import type { QuoteState } from './quote-feed.js';
import type { SwapForm } from './swap-form.js';
import { shownAmount } from './units.js';

interface AmountProps {
  form: SwapForm;
  /** In USD, by the quote of this very amount; null: not known. */
  worth: number | null;
  /** The user tried to continue: what is missing is now an error. */
  tried: boolean;
  balance: bigint | null;
  /** All of it may be spent: nothing of it pays for gas. */
  spendable: boolean;
  onChoose: () => void;
}

/** How much of which token is paid. */
export function AmountField({ form, worth, tried, balance, spendable, onChoose }: AmountProps) {
  const coin = form.input.value;
  const amount = form.amount.value;
  const trouble = amount === null ? (tried ? 'Enter an amount.' : null) : 'trouble' in amount ? amount.trouble : null;
  return (
    <div class="coin-field">
      <label for="amount">You pay</label>
      <div class="coin-line">
        <TextInput
          id="amount"
          class={sizeOf(form.amountText.value)}
          inputMode="decimal"
          placeholder="0"
          maxLength={120}
          value={form.amountText.value}
          trouble={trouble}
          onText={into(form.amountText)}
        />
        <CoinButton coin={coin} what="to pay with" onChoose={onChoose} />
      </div>
      <div class="coin-under">
        <FieldTrouble field="amount" text={trouble} />
        <Worth value={worth} />
        <Balance coin={coin} balance={balance}>
          {spendable && balance !== null && balance > 0n && (
            <button type="button" class="link" onClick={() => form.spend(balance)}>
              max
            </button>
          )}
        </Balance>
      </div>
    </div>
  );
}

interface ReceiveProps {
  coin: Coin | null;
  state: QuoteState<{ readonly outAmount: string; readonly outUsd?: number | null }>;
  balance: bigint | null;
  onChoose: () => void;
}

/** What the newest quote gives; faint while it answers an earlier amount. */
export function ReceiveField({ coin, state, balance, onChoose }: ReceiveProps) {
  const { received, fresh, request, error } = state;
  const asking = request !== null && !fresh && error === null;
  const shown = received === null || coin === null ? '0' : shownAmount(BigInt(received.quote.outAmount), coin.decimals);
  return (
    <div class="coin-field">
      <label for="receive">You receive</label>
      <div class="coin-line">
        <output
          id="receive"
          class={`${received !== null && fresh ? 'fresh' : 'faint'} ${sizeOf(shown)}`}
          aria-busy={asking}
          data-out={fresh ? received?.quote.outAmount : undefined}
        >
          {shown}
        </output>
        <CoinButton coin={coin} what="to receive" onChoose={onChoose} />
      </div>
      <div class="coin-under">
        <Worth value={fresh ? (received?.quote.outUsd ?? null) : null} />
        <Balance coin={coin} balance={balance} />
      </div>
    </div>
  );
}

/** At the prices of the pools; for people alone. */
function Worth({ value }: { value: number | null }) {
  return value === null ? null : (
    <p class="quiet worth-line" data-worth={value}>
      about {usd(value)}
    </p>
  );
}

/** Many digits are written smaller, so that all of them are seen. */
const sizeOf = (text: string): string => (text.length > 20 ? 'tiny' : text.length > 9 ? 'small' : '');

function CoinButton({ coin, what, onChoose }: { coin: Coin | null; what: string; onChoose: () => void }) {
  return (
    <button type="button" class="coin-button" aria-haspopup="dialog" onClick={onChoose}>
      {coin !== null && <TokenMark chain={coin.chain} symbol={coin.symbol} address={coin.address} />}
      <span>
        {coin?.symbol ?? 'Choose'}
        <span class="unseen">{coin === null ? ` the token ${what}` : `, choose another token ${what}`}</span>
      </span>
      <Icon name="open" />
    </button>
  );
}

function Balance(props: { coin: Coin | null; balance: bigint | null; children?: ComponentChildren }) {
  const { coin, balance, children } = props;
  if (coin === null || balance === null) return null;
  return (
    <p class="quiet balance-line">
      balance {shownAmount(balance, coin.decimals)} {coin.symbol} {children}
    </p>
  );
}
