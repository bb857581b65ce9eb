import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { evmTidepool } from './evm/tidepool.js';
import type { EvmLaunchBuilder, SolanaLaunchBuilder } from './ports.js';
import { solanaMeteoraDbc } from './solana/meteora-dbc/builder.js';
import { solanaPumpFun } from './solana/pumpfun/builder.js';
import { solanaRaydiumLaunchlab } from './solana/raydium-launchlab/builder.js';
import { solanaTidepool } from './solana/tidepool.js';

/** One line a builder: a launchpad without one is listed as unwired. */
export const evmBuilders: readonly EvmLaunchBuilder[] = [evmTidepool];
export const solanaBuilders: readonly SolanaLaunchBuilder[] = [
  ...[solanaTidepool, solanaPumpFun, solanaRaydiumLaunchlab, solanaMeteoraDbc],
];

/** The launchpads of a chain, those with a builder first. */
export function platformsOf({ family, launchpads }: ChainSpec): { platforms: string[]; unwired: string[] } {
  const built = new Set((family === 'evm' ? evmBuilders : solanaBuilders).map(({ platform }) => platform));
  return {
    platforms: launchpads.filter((name) => built.has(name)),
    unwired: launchpads.filter((name) => !built.has(name)),
  };
}
