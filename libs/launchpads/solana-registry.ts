import { TIDEPOOL_LAUNCHPAD } from '#libs/chains/solana/tidepool-programs.js';
import type { SolanaLaunchpad } from '#libs/chains/solana/venue.js';
import { meteoraDbc } from './meteora-dbc/decode.js';
import { pumpFun } from './pump-fun/decode.js';
import { raydiumLaunchlab } from './raydium-launchlab/decode.js';
import { tidepoolLaunchpad } from './tidepool/decode.js';

/** One line a launchpad. */
export const solanaLaunchpads: readonly SolanaLaunchpad[] = [
  pumpFun,
  raydiumLaunchlab,
  meteoraDbc,
  tidepoolLaunchpad(TIDEPOOL_LAUNCHPAD),
];
