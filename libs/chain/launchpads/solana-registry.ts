import type { SolanaLaunchpadModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDbcLaunchpad } from './meteora-dbc/launchpad.js';
import { pumpFunLaunchpad } from './pump-fun/launchpad.js';
import { raydiumLaunchlabLaunchpad } from './raydium-launchlab/launchpad.js';
import { localTidepoolLaunchpad } from './tidepool/launchpad.js';

/** One line a launchpad. */
export const solanaLaunchpads: readonly SolanaLaunchpadModule[] = [
  pumpFunLaunchpad,
  raydiumLaunchlabLaunchpad,
  meteoraDbcLaunchpad,
  localTidepoolLaunchpad,
];
