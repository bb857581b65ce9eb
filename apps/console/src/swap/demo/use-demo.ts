import { type ReadonlySignal, signal, useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { EvmChainRow } from '#libs/protocol/rest/evm/chain-body.js';
import { type Coin, isNative } from '../coins.js';
import type { SwapForm } from '../swap-form.js';
import type { Balances } from './demo-run.js';
import { type DemoWallet, demoWallet, fund, openDemoWallet } from './demo-wallet.js';
import { LocalNode, NodeError } from './local-node.js';

const BALANCES_MS = 2_000;

/** What a local chain offers: a node that the page may ask, and a wallet that the page may sign with. */
export interface Demo {
  readonly node: LocalNode;
  readonly wallet: ReadonlySignal<DemoWallet | null>;
  /** Of the form's tokens; null while they are not known. */
  readonly balances: ReadonlySignal<Balances | null>;
  readonly opening: ReadonlySignal<boolean>;
  readonly trouble: ReadonlySignal<string | null>;
  /** True when it is this wallet that the form names. */
  signs(wallet: string): boolean;
  /** Makes the wallet where there is none, fills it, and names it in the form. */
  use(): Promise<void>;
}

/** null on a real chain. */
export function useDemo(row: EvmChainRow, form: SwapForm): Demo | null {
  const url = row.demo?.rpcUrl ?? null;
  const demo = useMemo(() => (url === null ? null : new LocalDemo(new LocalNode(url), form)), [url, form]);
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

class LocalDemo implements Demo {
  readonly wallet = demoWallet;
  readonly balances = signal<Balances | null>(null);
  readonly opening = signal(false);
  readonly trouble = signal<string | null>(null);

  constructor(
    readonly node: LocalNode,
    private readonly form: SwapForm,
  ) {}

  signs(wallet: string): boolean {
    return this.wallet.value !== null && wallet.trim().toLowerCase() === this.wallet.value.address;
  }

  /** The wallet of before, where this tab has one and the form names no other. */
  takeUp(): void {
    void openDemoWallet(false).then((wallet) => {
      if (wallet !== null && this.form.wallet.peek() === '') this.form.wallet.value = wallet.address;
    });
  }

  async use(): Promise<void> {
    if (this.opening.peek()) return;
    this.opening.value = true;
    this.trouble.value = null;
    try {
      const wallet = await openDemoWallet(true);
      await fund(this.node, wallet!.address);
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
    const of = (coin: Coin): Promise<bigint> =>
      isNative(coin) ? this.node.nativeBalance(wallet) : this.node.tokenBalance(coin.address, wallet);
    const look = async (): Promise<void> => {
      try {
        await fund(this.node, wallet);
        const found = { input: await of(input), output: await of(output) };
        if (stopped) return;
        this.balances.value = found;
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
