import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { raydiumClmm } from './decode.js';
import { raydiumClmmSwaps } from './instruction.js';
import { raydiumClmmPools } from './quote.js';
import { raydiumClmmRanges } from './ranges.js';

/** Raydium CLMM: what the registry lists. */
export const raydiumClmmVenue: SolanaVenueModule = {
  decoder: raydiumClmm,
  pools: raydiumClmmPools,
  ranges: raydiumClmmRanges,
  instructions: raydiumClmmSwaps,
  swapKind: 'raydium-clmm',
};
