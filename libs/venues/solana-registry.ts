import { TIDEPOOL_AMM } from '#libs/chains/solana/tidepool-programs.js';
import type { SolanaVenue } from '#libs/chains/solana/venue.js';
import { meteoraDammV2 } from './meteora-damm-v2/decode.js';
import { meteoraDlmm } from './meteora-dlmm/decode.js';
import { orcaWhirlpool } from './orca-whirlpool/decode.js';
import { pumpSwap } from './pumpswap/decode.js';
import { raydiumClmm } from './raydium-clmm/decode.js';
import { raydiumCpmm } from './raydium-cpmm/decode.js';
import { raydiumV4 } from './raydium-v4/decode.js';
import { tidepoolAmm } from './tidepool-amm/decode.js';

/** One line a venue. */
export const solanaVenues: readonly SolanaVenue[] = [
  pumpSwap,
  raydiumV4,
  raydiumCpmm,
  raydiumClmm,
  orcaWhirlpool,
  meteoraDlmm,
  meteoraDammV2,
  tidepoolAmm(TIDEPOOL_AMM),
];
