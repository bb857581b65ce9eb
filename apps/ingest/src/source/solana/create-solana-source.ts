import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { SolanaKeeper } from './decoding.js';
import type { SolanaSourceOverrides } from './options.js';
import { SolanaSource } from './solana-source.js';
import { solanaTables } from './tables.js';

export interface SolanaSourceParts {
  chain: ChainSpec;
  rpcUrls: readonly string[];
  dataDir: string;
  observer: SourceObserver;
  options?: SolanaSourceOverrides;
}

/** The source over every venue and launchpad that this program reads. */
export function createSolanaSource({ chain, rpcUrls, dataDir, observer, options }: SolanaSourceParts): SolanaSource {
  const tables = solanaTables([...solanaVenues, ...solanaLaunchpads]);
  const decoding = new SolanaKeeper(tables, dataDir, chain.slug, observer);
  return new SolanaSource({ chain, rpcUrls, observer, decoding, options });
}
