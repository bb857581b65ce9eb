import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDammV2 } from './decode.js';
import { meteoraDammV2Swaps } from './instruction.js';
import { meteoraDammV2Pools } from './quote.js';

/** Meteora DAMM v2: what the registry lists. */
export const meteoraDammV2Venue: SolanaVenueModule = {
  decoder: meteoraDammV2,
  pools: meteoraDammV2Pools,
  instructions: meteoraDammV2Swaps,
  swapKind: 'meteora-damm-v2',
};
