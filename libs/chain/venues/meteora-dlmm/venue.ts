import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDlmm } from './decode.js';
import { meteoraDlmmSwaps } from './instruction.js';
import { meteoraDlmmPools } from './quote.js';
import { meteoraDlmmRanges } from './ranges.js';

/** Meteora DLMM: what the registry lists. */
export const meteoraDlmmVenue: SolanaVenueModule = {
  decoder: meteoraDlmm,
  pools: meteoraDlmmPools,
  ranges: meteoraDlmmRanges,
  instructions: meteoraDlmmSwaps,
  swapKind: 'meteora-dlmm',
};
