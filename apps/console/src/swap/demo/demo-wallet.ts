import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { pause } from '../../state/pause.js';
import { type LocalNode, quantity } from './local-node.js';
import { TabWallet } from './tab-wallet.js';

const COIN = 10n ** 18n;
const FUNDS = 100n * COIN;
/** Replacing blocks can take the funding back; below this the wallet is filled again. */
const REFILL_BELOW = 10n * COIN;
const FUNDED_WITHIN_MS = 30_000;

export interface DemoWallet {
  readonly address: string;
  sign(tx: EvmTransaction, nonce: number): Promise<string>;
}

/** The demo wallet on EVM chains. */
export const evmWallet = new TabWallet<DemoWallet>(
  'tidepool.demo-wallet',
  /^0x[0-9a-f]{64}$/,
  () => import('./demo-signer.js'),
);

/** Gives the wallet coins of the local chain, and waits for a block in which it has them. */
export async function fund(node: LocalNode, address: string): Promise<void> {
  if ((await node.nativeBalance(address)) >= REFILL_BELOW) return;
  const before = await node.blockNumber();
  await node.call('anvil_setBalance', [address, quantity(FUNDS)]);
  const deadline = Date.now() + FUNDED_WITHIN_MS;
  while ((await node.blockNumber()) <= before && Date.now() < deadline) await pause(250);
}
