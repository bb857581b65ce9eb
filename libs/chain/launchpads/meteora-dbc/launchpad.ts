import type { SolanaLaunchpadModule } from '#libs/chain/market-ports/solana/module.js';
import { meteoraDbc } from './decode.js';
import { meteoraDbcSwaps } from './instruction.js';
import { meteoraDbcPools } from './quote.js';

/** Meteora DBC: what the registry lists. */
export const meteoraDbcLaunchpad: SolanaLaunchpadModule = {
  decoder: meteoraDbc,
  pools: meteoraDbcPools,
  instructions: meteoraDbcSwaps,
  swapKind: 'meteora-dbc',
};
