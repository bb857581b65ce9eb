import type { SolanaVenue } from '#libs/chains/solana/venue.js';
import { meteoraDbc } from './meteora-dbc/decode.js';
import { pumpFun } from './pump-fun/decode.js';
import { raydiumLaunchlab } from './raydium-launchlab/decode.js';

/** One line a launchpad. */
export const solanaLaunchpads: readonly SolanaVenue[] = [pumpFun, raydiumLaunchlab, meteoraDbc];
