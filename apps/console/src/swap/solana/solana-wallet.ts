import { TabWallet } from '../demo/tab-wallet.js';

export interface SolanaDemoWallet {
  readonly address: string;
  /** Base64 in, base64 out. */
  sign(unsigned: string): string;
}

/** The demo wallet on Solana. */
export const solanaWallet = new TabWallet<SolanaDemoWallet>(
  'tidepool.demo-wallet.solana',
  /^[0-9a-f]{64}$/,
  () => import('./solana-signer.js'),
);
