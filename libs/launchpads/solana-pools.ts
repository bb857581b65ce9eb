import type { SolanaPoolVenue } from '#libs/chains/solana/pool-math.js';
import { TIDEPOOL_LAUNCHPAD } from '#libs/chains/solana/tidepool-programs.js';
import { meteoraDbcPools } from './meteora-dbc/quote.js';
import { pumpFunCurves } from './pump-fun/quote.js';
import { raydiumLaunchlabCurves } from './raydium-launchlab/quote.js';
import { tidepoolCurves } from './tidepool/quote.js';

/** Launchpads whose curves can be read from their accounts. One line a launchpad. */
export const solanaCurves: readonly SolanaPoolVenue[] = [
  meteoraDbcPools,
  pumpFunCurves,
  raydiumLaunchlabCurves,
  tidepoolCurves(TIDEPOOL_LAUNCHPAD),
];
