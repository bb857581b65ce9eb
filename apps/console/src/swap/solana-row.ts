import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';
import type { CoinChain } from './coins.js';

/** Solana among the indexed chains, with what its coins need. */
export type SolanaChainRow = ChainBody & CoinChain;

export const isSolana = (row: ChainBody): row is SolanaChainRow =>
  row.family === 'solana' && row.nativeCurrency !== null && row.wrappedNative !== null;
