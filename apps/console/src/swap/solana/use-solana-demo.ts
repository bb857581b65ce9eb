import { useMemo } from 'preact/hooks';
import { type Coin, isNative } from '../coins.js';
import { type DemoChain, type LocalDemo, useLocalDemo } from '../demo/local-demo.js';
import { LocalNode } from '../demo/local-node.js';
import type { SwapForm } from '../swap-form.js';
import { SolanaNode } from './solana-node.js';
import { solanaWallet } from './solana-wallet.js';

/** A local Solana chain. */
class SolanaDemoChain implements DemoChain {
  readonly wallet = solanaWallet.wallet;
  readonly open = solanaWallet.open;

  constructor(readonly node: SolanaNode) {}

  fund(wallet: string): Promise<void> {
    return this.node.fund(wallet);
  }

  balance(coin: Coin, wallet: string): Promise<bigint> {
    return isNative(coin) ? this.node.lamports(wallet) : this.node.tokens(coin.address, wallet);
  }
}

export type SolanaDemo = LocalDemo<SolanaDemoChain>;

/** null on a real chain. */
export function useSolanaDemo(url: string | null, form: SwapForm): SolanaDemo | null {
  const chain = useMemo(() => (url === null ? null : new SolanaDemoChain(new SolanaNode(new LocalNode(url)))), [url]);
  return useLocalDemo(chain, form);
}
