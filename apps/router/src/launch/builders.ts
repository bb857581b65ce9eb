import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { evmClanker } from './evm/clanker/builder.js';
import { fourMemeUnwired } from './evm/four-meme/unwired.js';
import { evmTidepool } from './evm/tidepool.js';
import { evmZora } from './evm/zora/builder.js';
import type { EvmLaunchBuilder, SolanaLaunchBuilder, UnwiredLaunchpad } from './ports.js';
import { solanaMeteoraDbc } from './solana/meteora-dbc/builder.js';
import { solanaPumpFun } from './solana/pumpfun/builder.js';
import { solanaRaydiumLaunchlab } from './solana/raydium-launchlab/builder.js';
import { solanaTidepool } from './solana/tidepool.js';

/** One line a builder: a launchpad without one is listed as unwired. */
export const evmBuilders: readonly EvmLaunchBuilder[] = [evmTidepool, evmClanker, evmZora];
export const solanaBuilders: readonly SolanaLaunchBuilder[] = [
  ...[solanaTidepool, solanaPumpFun, solanaRaydiumLaunchlab, solanaMeteoraDbc],
];

/** Those that can have none. */
const cannotHave: readonly UnwiredLaunchpad[] = [fourMemeUnwired];

const buildersOf = ({ family }: ChainSpec) => (family === 'evm' ? evmBuilders : solanaBuilders);

/** The launchpads of a chain, those with a builder first. */
export function platformsOf(chain: ChainSpec): { platforms: string[]; unwired: string[] } {
  const built = new Set(buildersOf(chain).map(({ platform }) => platform));
  return {
    platforms: chain.launchpads.filter((name) => built.has(name)),
    unwired: chain.launchpads.filter((name) => !built.has(name)),
  };
}

export const unwiredReason = (platform: string): string | null =>
  cannotHave.find((each) => each.platform === platform)?.reason ?? null;

/** The most that the first buy on a launchpad may be; null: any amount of the coin. */
export const mostBuyOn = (chain: ChainSpec, platform: string): bigint | null =>
  buildersOf(chain).find((each) => each.platform === platform)?.mostBuy ?? null;
