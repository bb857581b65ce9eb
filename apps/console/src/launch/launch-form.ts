import { computed, signal } from '@preact/signals';
import { parseAmount, parseSlippage } from '../swap/units.js';

/** What the user has entered; the request to the router follows from it alone. */
export interface LaunchFields {
  readonly platform: string;
  readonly creator: string;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image: string;
  readonly website: string;
  readonly twitter: string;
  readonly telegram: string;
  readonly rpcUrl: string;
}

/** The chain's own coin. */
export interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

export type TextField = keyof LaunchFields;

const DEFAULT_SLIPPAGE = '1';
const MOST_BYTES: Partial<Record<TextField, number>> = { name: 32, symbol: 10 };
const NEEDED: Partial<Record<TextField, string>> = {
  platform: 'Choose a launchpad.',
  name: 'Give the token a name.',
  symbol: 'Give the token a symbol.',
  image: 'Say where its picture is.',
  rpcUrl: 'Say which node is to simulate it.',
  creator: 'Enter a wallet address.',
};

export class LaunchForm {
  readonly texts = signal<LaunchFields>({
    ...{ platform: '', creator: '', name: '', symbol: '', description: '', image: '' },
    ...{ website: '', twitter: '', telegram: '', rpcUrl: '' },
  });
  readonly wallet = fieldOf(this, 'creator');
  readonly buyText = signal('');
  readonly slippageText = signal(DEFAULT_SLIPPAGE);

  constructor(
    readonly chain: string,
    readonly decimals: number,
  ) {}

  readonly troubles = computed<Partial<Record<TextField | 'buy' | 'slippage', string>>>(() => {
    const troubles: Partial<Record<TextField | 'buy' | 'slippage', string>> = {};
    for (const [field, text] of Object.entries(this.texts.value) as [TextField, string][]) {
      const trouble = troubleOf(field, text.trim());
      if (trouble !== null) troubles[field] = trouble;
    }
    const [buy, slippage] = [this.buy.value, parseSlippage(this.slippageText.value)];
    if (buy !== null && 'trouble' in buy) troubles.buy = buy.trouble;
    if ('trouble' in slippage) troubles.slippage = slippage.trouble;
    return troubles;
  });

  /** null: no first buy. */
  readonly buy = computed(() => {
    const text = this.buyText.value.trim();
    return text === '' || /^0*(\.0*)?$/.test(text) ? null : parseAmount(text, this.decimals);
  });

  /** null while something is missing or wrong. */
  readonly request = computed<Record<string, unknown> | null>(() => {
    if (Object.keys(this.troubles.value).length > 0) return null;
    const buy = this.buy.value;
    const given = Object.entries(this.texts.value).map(([name, text]) => [name, text.trim()] as const);
    const slippage = parseSlippage(this.slippageText.value);
    return {
      ...Object.fromEntries(given.filter(([, text]) => text !== '')),
      ...(buy !== null && 'units' in buy ? { initialBuy: buy.units.toString() } : {}),
      ...('bps' in slippage ? { slippageBps: slippage.bps } : {}),
    };
  });

  set(field: TextField, text: string): void {
    this.texts.value = { ...this.texts.peek(), [field]: text };
  }
}

/** One field by itself, as a signal is read and set. */
const fieldOf = (form: LaunchForm, field: TextField) => ({
  get value(): string {
    return form.texts.value[field];
  },
  set value(text: string) {
    form.set(field, text);
  },
  peek: (): string => form.texts.peek()[field],
});

function troubleOf(field: TextField, text: string): string | null {
  if (text === '') return NEEDED[field] ?? null;
  const most = MOST_BYTES[field];
  if (most !== undefined && new TextEncoder().encode(text).length > most) return `At most ${most} bytes.`;
  if (field === 'symbol' && /\s/.test(text)) return 'A symbol has no spaces.';
  return null;
}
