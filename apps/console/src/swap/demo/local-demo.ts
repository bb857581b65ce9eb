import { type ReadonlySignal, signal, useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Coin, plainAddress } from '../coins.js';
import type { SwapForm } from '../swap-form.js';
import type { Balances } from './demo-run.js';
import { NodeError } from './local-node.js';

const BALANCES_MS = 2_000;

/** What the form shows of a wallet that the page may sign with. */
export interface DemoSide {
  /** Of the form's tokens; null while they are not known. */
  readonly balances: ReadonlySignal<Balances | null>;
  readonly opening: ReadonlySignal<boolean>;
  readonly trouble: ReadonlySignal<string | null>;
  /** True when it is this wallet that the form names. */
  signs(wallet: string): boolean;
  /** Makes the wallet where there is none, fills it, and names it in the form. */
  use(): Promise<void>;
}

/** A local chain of one family: its node, and the wallet of this tab. Refusals of the node are NodeErrors. */
export interface DemoChain {
  readonly wallet: ReadonlySignal<{ readonly address: string } | null>;
  /** The wallet of this tab; `make`: makes one if there is none. */
  open(make: boolean): Promise<{ readonly address: string } | null>;
  /** Gives the wallet coins where it has few, and waits until it has them. */
  fund(wallet: string): Promise<void>;
  balance(coin: Coin, wallet: string): Promise<bigint>;
}

/** The field of a form that names who will sign. */
export interface WalletField {
  readonly wallet: { value: string; peek(): string };
}

/** null where there is no local chain. */
export function useLocalDemo<C extends DemoChain>(chain: C | null, form: SwapForm): LocalDemo<C> | null {
  const demo = useMemo(() => (chain === null ? null : new LocalDemo(chain, form)), [chain, form]);
  useEffect(() => demo?.takeUp(), [demo]);
  const watched = useComputed(() => {
    const [input, output] = [form.input.value, form.output.value];
    const mine = demo?.signs(form.wallet.value) === true;
    return mine && input !== null && output !== null ? { wallet: form.wallet.value.trim(), input, output } : null;
  });
  useSignalEffect(() => {
    const of = watched.value;
    return of === null || demo === null ? undefined : demo.follow(of);
  });
  return demo;
}

export class LocalDemo<C extends DemoChain> implements DemoSide {
  readonly balances = signal<Balances | null>(null);
  readonly opening = signal(false);
  readonly trouble = signal<string | null>(null);

  constructor(
    readonly chain: C,
    private readonly form: WalletField,
  ) {}

  signs(wallet: string): boolean {
    return this.chain.wallet.value !== null && plainAddress(wallet.trim()) === this.chain.wallet.value.address;
  }

  /** The wallet of before, where this tab has one and the form names no other. */
  takeUp(): void {
    void this.chain.open(false).then((wallet) => {
      if (wallet !== null && this.form.wallet.peek() === '') this.form.wallet.value = wallet.address;
    });
  }

  async use(): Promise<void> {
    if (this.opening.peek()) return;
    this.opening.value = true;
    this.trouble.value = null;
    try {
      const wallet = await this.chain.open(true);
      await this.chain.fund(wallet!.address);
      this.form.wallet.value = wallet!.address;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.trouble.value = `No demo wallet: ${error.message}.`;
    } finally {
      this.opening.value = false;
    }
  }

  /**
   * Asks for the balances until the returned function is called; fills the wallet again where a reorg took its coins.
   */
  follow({ wallet, input, output }: { wallet: string; input: Coin; output: Coin }): () => void {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.balances.value = null;
    const look = async (): Promise<void> => {
      try {
        await this.chain.fund(wallet);
        const [ofInput, ofOutput] = [await this.chain.balance(input, wallet), await this.chain.balance(output, wallet)];
        if (stopped) return;
        this.balances.value = { input: ofInput, output: ofOutput };
        this.trouble.value = null;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (!stopped) this.trouble.value = `${error.message}.`;
      }
      if (!stopped) timer = setTimeout(() => void look(), BALANCES_MS);
    };
    void look();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }
}
