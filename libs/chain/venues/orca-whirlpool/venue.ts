import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { orcaWhirlpool } from './decode.js';
import { orcaWhirlpoolSwaps } from './instruction.js';
import { orcaWhirlpoolPools } from './quote.js';

/** Orca Whirlpool: what the registry lists. */
export const orcaWhirlpoolVenue: SolanaVenueModule = {
  decoder: orcaWhirlpool,
  pools: orcaWhirlpoolPools,
  instructions: orcaWhirlpoolSwaps,
  swapKind: 'orca-whirlpool',
};
