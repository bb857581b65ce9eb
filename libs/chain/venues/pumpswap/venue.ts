import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { pumpSwap } from './decode.js';
import { pumpSwapSwaps } from './instruction.js';
import { pumpSwapPools } from './quote.js';

/** PumpSwap: what the registry lists. */
export const pumpSwapVenue: SolanaVenueModule = {
  decoder: pumpSwap,
  pools: pumpSwapPools,
  instructions: pumpSwapSwaps,
  swapKind: 'pumpswap',
  feesOutside: true,
};
