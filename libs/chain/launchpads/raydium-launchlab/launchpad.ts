import type { SolanaLaunchpadModule } from '#libs/chain/market-ports/solana/module.js';
import { raydiumLaunchlab } from './decode.js';
import { raydiumLaunchlabSwaps } from './instruction.js';
import { raydiumLaunchlabCurves } from './quote.js';

/** Raydium LaunchLab: what the registry lists. */
export const raydiumLaunchlabLaunchpad: SolanaLaunchpadModule = {
  decoder: raydiumLaunchlab,
  pools: raydiumLaunchlabCurves,
  instructions: raydiumLaunchlabSwaps,
  swapKind: 'raydium-launchlab',
};
