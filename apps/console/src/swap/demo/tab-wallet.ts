import { type ReadonlySignal, signal } from '@preact/signals';

/** Of a family of chains: keys as text, and the wallet of one. Loaded only when a wallet is opened. */
export interface WalletMaker<W> {
  newKey(): string;
  walletOf(key: string): W;
}

/**
 * A wallet for trying swaps on a local chain. Its key is made in this tab, is kept in the tab alone, and signs nothing
 * but transactions of a chain that exists on this machine; it is sent nowhere.
 */
export class TabWallet<W> {
  private readonly opened = signal<W | null>(null);

  constructor(
    /** Name in the tab's storage. */
    private readonly slot: string,
    /** What a kept key looks like. */
    private readonly form: RegExp,
    private readonly load: () => Promise<WalletMaker<W>>,
  ) {}

  get wallet(): ReadonlySignal<W | null> {
    return this.opened;
  }

  /** Opens the wallet of this tab; `make`: makes one if there is none. */
  readonly open = async (make: boolean): Promise<W | null> => {
    const kept = sessionStorage.getItem(this.slot);
    if (this.opened.value !== null || (kept === null && !make)) return this.opened.value;
    const maker = await this.load();
    const key = kept !== null && this.form.test(kept) ? kept : maker.newKey();
    sessionStorage.setItem(this.slot, key);
    this.opened.value = maker.walletOf(key);
    return this.opened.value;
  };
}
