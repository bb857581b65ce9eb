import { useMemo } from 'preact/hooks';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import { type Coin, isNative } from '../coins.js';
import type { SwapForm } from '../swap-form.js';
import { evmWallet, fund } from './demo-wallet.js';
import { type DemoChain, type LocalDemo, useLocalDemo } from './local-demo.js';
import { LocalNode } from './local-node.js';

/** A local EVM chain. */
export class EvmDemoChain implements DemoChain {
  readonly wallet = evmWallet.wallet;
  readonly open = evmWallet.open;

  constructor(readonly node: LocalNode) {}

  fund(wallet: string): Promise<void> {
    return fund(this.node, wallet);
  }

  balance(coin: Coin, wallet: string): Promise<bigint> {
    return isNative(coin) ? this.node.nativeBalance(wallet) : this.node.tokenBalance(coin.address, wallet);
  }
}

export type Demo = LocalDemo<EvmDemoChain>;

/** null on a real chain. */
export function useDemo(row: EvmChainRow, form: SwapForm): Demo | null {
  const url = row.demo?.rpcUrl ?? null;
  const chain = useMemo(() => (url === null ? null : new EvmDemoChain(new LocalNode(url))), [url]);
  return useLocalDemo(chain, form);
}
