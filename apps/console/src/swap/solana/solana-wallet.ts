import { signal } from '@preact/signals';

/**
 * A wallet for trying swaps on a local Solana chain. Its key is made in this tab, is kept in the tab alone, and signs nothing but
 * transactions of a chain that exists on this machine; it is sent nowhere.
 */
const SLOT = 'tidepool.demo-wallet.solana';
const KEY = /^[0-9a-f]{64}$/;

export interface SolanaDemoWallet {
  readonly address: string;
  /** Base64 in, base64 out. */
  sign(unsigned: string): string;
}

export const solanaWallet = signal<SolanaDemoWallet | null>(null);

/** Opens the wallet of this tab; `make`: makes one if there is none. */
export async function openSolanaWallet(make: boolean): Promise<SolanaDemoWallet | null> {
  const kept = sessionStorage.getItem(SLOT);
  if (solanaWallet.value !== null || (kept === null && !make)) return solanaWallet.value;
  const signer = await import('./solana-signer.js');
  const key = kept !== null && KEY.test(kept) ? bytesOf(kept) : signer.newKey();
  sessionStorage.setItem(SLOT, textOf(key));
  solanaWallet.value = { address: signer.addressOf(key), sign: (unsigned) => signer.sign(key, unsigned) };
  return solanaWallet.value;
}

const textOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
