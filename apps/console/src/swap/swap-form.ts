import { batch, computed, signal } from '@preact/signals';
import type { QuoteRequest } from '#libs/serve/client/router-client.js';
import { type Coin, NATIVE, plainAddress } from './coins.js';
import { exactAmount, type Parsed, parseAmount, parseSlippage } from './units.js';

const DEFAULT_SLIPPAGE = '0.5';

/** What addresses of a family look like. */
export interface WalletRule {
  readonly placeholder: string;
  /** What is wrong with a text; null: it can be one. */
  trouble(text: string): string | null;
}

export const EVM_WALLETS: WalletRule = {
  placeholder: '0x…',
  trouble: (text) => {
    if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'An address is 0x and 40 hexadecimal digits.';
    return /^0x(0{40}|[eE]{40})$/.test(text) ? 'This address cannot sign.' : null;
  },
};

export const SOLANA_WALLETS: WalletRule = {
  placeholder: '',
  trouble: (text) =>
    /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) ? null : 'An address is 32 to 44 characters of base58.',
};

/** What the user has entered; the request to the router follows from it alone. */
export class SwapForm {
  readonly input = signal<Coin | null>(null);
  readonly output = signal<Coin | null>(null);
  readonly amountText = signal('');
  readonly slippageText = signal(DEFAULT_SLIPPAGE);
  /** The wallet that will sign. */
  readonly wallet = signal('');

  /** null: nothing was typed, or there is no token yet that says what digits mean. */
  readonly amount = computed<Parsed | null>(() => {
    const coin = this.input.value;
    return coin === null || this.amountText.value.trim() === ''
      ? null
      : parseAmount(this.amountText.value, coin.decimals);
  });
  readonly slippage = computed(() => parseSlippage(this.slippageText.value));
  readonly walletTrouble = computed<string | null>(() => {
    const text = this.wallet.value.trim();
    if (text === '') return 'Enter a wallet address.';
    return this.wallets.trouble(text);
  });

  readonly request = computed<QuoteRequest | null>(() => {
    const [input, output, amount, slippage] = [
      this.input.value,
      this.output.value,
      this.amount.value,
      this.slippage.value,
    ];
    if (input === null || output === null || amount === null || !('units' in amount) || !('bps' in slippage))
      return null;
    return {
      ...{ chain: input.chain, inputMint: input.address, outputMint: output.address },
      ...{ amount: amount.units.toString(), slippageBps: slippage.bps },
    };
  });

  constructor(
    readonly chain: string,
    readonly wallets: WalletRule = EVM_WALLETS,
  ) {}

  /** Both sides can never be the same: choosing the other side's token turns the swap round. */
  choose(side: 'input' | 'output', coin: Coin): void {
    const [mine, other] = side === 'input' ? [this.input, this.output] : [this.output, this.input];
    batch(() => {
      if (other.peek()?.address === coin.address) other.value = mine.peek();
      mine.value = coin;
    });
  }

  turnRound(): void {
    batch(() => {
      const before = this.input.peek();
      this.input.value = this.output.peek();
      this.output.value = before;
    });
  }

  spend(units: bigint): void {
    const coin = this.input.peek();
    if (coin !== null) this.amountText.value = exactAmount(units, coin.decimals);
  }

  /** The coin and what wraps it: such a swap has no pool, no route and no slippage. */
  isWrap(wrapped: string): boolean {
    const sides = [this.input.value?.address, this.output.value?.address];
    return sides.includes(NATIVE) && sides.includes(plainAddress(wrapped));
  }
}
