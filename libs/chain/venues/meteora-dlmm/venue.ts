import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDlmm } from './decode.js';
import { meteoraDlmmSwaps } from './instruction.js';
import { meteoraDlmmPools } from './quote.js';

/** Meteora DLMM: what the registry lists. */
export const meteoraDlmmVenue: SolanaVenueModule = {
  decoder: meteoraDlmm,
  pools: meteoraDlmmPools,
  instructions: meteoraDlmmSwaps,
  swapKind: 'meteora-dlmm',
};
