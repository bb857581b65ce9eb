import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDammV2Venue } from './meteora-damm-v2/venue.js';
import { meteoraDlmmVenue } from './meteora-dlmm/venue.js';
import { orcaWhirlpoolVenue } from './orca-whirlpool/venue.js';
import { pumpSwapVenue } from './pumpswap/venue.js';
import { raydiumClmmVenue } from './raydium-clmm/venue.js';
import { raydiumCpmmVenue } from './raydium-cpmm/venue.js';
import { raydiumV4Venue } from './raydium-v4/venue.js';
import { localTidepoolAmm } from './tidepool-amm/venue.js';

/** One line a venue. */
export const solanaVenues: readonly SolanaVenueModule[] = [
  pumpSwapVenue,
  raydiumV4Venue,
  raydiumCpmmVenue,
  raydiumClmmVenue,
  orcaWhirlpoolVenue,
  meteoraDlmmVenue,
  meteoraDammV2Venue,
  localTidepoolAmm,
];
