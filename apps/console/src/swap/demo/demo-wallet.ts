import { signal } from '@preact/signals';
import type { EvmTransaction } from '#libs/protocol/rest/evm/swap-body.js';
import { type LocalNode, quantity } from './local-node.js';

/**
 * A wallet for trying swaps on a local chain. Its key is made in this tab, is kept in the tab alone, and signs nothing
 * but transactions of a chain that exists on this machine; it is sent nowhere.
 */
const SLOT = 'tidepool.demo-wallet';
const COIN = 10n ** 18n;
export const FUNDS = 100n * COIN;
/** Replacing blocks can take the funding back; below this the wallet is filled again. */
const REFILL_BELOW = 10n * COIN;
const FUNDED_WITHIN_MS = 30_000;

export interface DemoWallet {
  readonly address: string;
  sign(tx: EvmTransaction, nonce: number): Promise<string>;
}

export const demoWallet = signal<DemoWallet | null>(null);

/** Opens the wallet of this tab; `make`: makes one if there is none. */
export async function openDemoWallet(make: boolean): Promise<DemoWallet | null> {
  const kept = sessionStorage.getItem(SLOT);
  if (demoWallet.value !== null || (kept === null && !make)) return demoWallet.value;
  const signer = await import('./demo-signer.js');
  const key = kept !== null && /^0x[0-9a-f]{64}$/.test(kept) ? (kept as `0x${string}`) : signer.newKey();
  sessionStorage.setItem(SLOT, key);
  demoWallet.value = { address: signer.addressOf(key), sign: (tx, nonce) => signer.sign(key, tx, nonce) };
  return demoWallet.value;
}

/** Gives the wallet coins of the local chain, and waits for a block in which it has them. */
export async function fund(node: LocalNode, address: string): Promise<void> {
  if ((await node.nativeBalance(address)) >= REFILL_BELOW) return;
  const before = await node.blockNumber();
  await node.call('anvil_setBalance', [address, quantity(FUNDS)]);
  const deadline = Date.now() + FUNDED_WITHIN_MS;
  while ((await node.blockNumber()) <= before && Date.now() < deadline) await pause(250);
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
