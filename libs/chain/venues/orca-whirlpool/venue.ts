import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { orcaWhirlpool } from './decode.js';
import { orcaWhirlpoolSwaps } from './instruction.js';
import { orcaWhirlpoolPools } from './quote.js';
import { orcaWhirlpoolRanges } from './ranges.js';

/** Orca Whirlpool: what the registry lists. */
export const orcaWhirlpoolVenue: SolanaVenueModule = {
  decoder: orcaWhirlpool,
  pools: orcaWhirlpoolPools,
  ranges: orcaWhirlpoolRanges,
  instructions: orcaWhirlpoolSwaps,
  swapKind: 'orca-whirlpool',
};
