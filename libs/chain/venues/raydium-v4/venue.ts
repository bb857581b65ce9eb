import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { raydiumV4 } from './decode.js';
import { raydiumV4Swaps } from './instruction.js';
import { raydiumV4Pools } from './quote.js';

/** Raydium AMM v4: what the registry lists. */
export const raydiumV4Venue: SolanaVenueModule = {
  decoder: raydiumV4,
  pools: raydiumV4Pools,
  instructions: raydiumV4Swaps,
  swapKind: 'raydium-v4',
};
