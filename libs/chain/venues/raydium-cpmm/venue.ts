import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { raydiumCpmm } from './decode.js';
import { raydiumCpmmSwaps } from './instruction.js';
import { raydiumCpmmPools } from './quote.js';

/** Raydium CPMM: what the registry lists. */
export const raydiumCpmmVenue: SolanaVenueModule = {
  decoder: raydiumCpmm,
  pools: raydiumCpmmPools,
  instructions: raydiumCpmmSwaps,
  swapKind: 'raydium-cpmm',
};
