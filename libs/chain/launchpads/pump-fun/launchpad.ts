import type { SolanaLaunchpadModule } from '#libs/chain/market-ports/solana/module.js';
import { pumpFun } from './decode.js';
import { pumpFunSwaps } from './instruction.js';
import { pumpFunCurves } from './quote.js';

/** pump.fun: what the registry lists. */
export const pumpFunLaunchpad: SolanaLaunchpadModule = {
  decoder: pumpFun,
  pools: pumpFunCurves,
  instructions: pumpFunSwaps,
  swapKind: 'pump-fun',
  feesOutside: true,
};
