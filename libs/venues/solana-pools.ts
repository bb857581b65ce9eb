import type { SolanaPoolVenue } from '#libs/chains/solana/pool-math.js';
import { TIDEPOOL_AMM } from '#libs/chains/solana/tidepool-programs.js';
import { meteoraDammV2Pools } from './meteora-damm-v2/quote.js';
import { meteoraDlmmPools } from './meteora-dlmm/quote.js';
import { orcaWhirlpoolPools } from './orca-whirlpool/quote.js';
import { pumpSwapPools } from './pumpswap/quote.js';
import { raydiumClmmPools } from './raydium-clmm/quote.js';
import { raydiumCpmmPools } from './raydium-cpmm/quote.js';
import { raydiumV4Pools } from './raydium-v4/quote.js';
import { tidepoolAmmPools } from './tidepool-amm/quote.js';

/** Venues whose pools can be read from their accounts. One line a venue. */
export const solanaPools: readonly SolanaPoolVenue[] = [
  meteoraDammV2Pools,
  meteoraDlmmPools,
  orcaWhirlpoolPools,
  pumpSwapPools,
  raydiumClmmPools,
  raydiumCpmmPools,
  raydiumV4Pools,
  tidepoolAmmPools(TIDEPOOL_AMM),
];
