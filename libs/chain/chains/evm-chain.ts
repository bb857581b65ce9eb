import { evmIds } from '#libs/core/ids.js';
import type { ChainManifest } from './chain-manifest.js';
import { TIDEPOOL_LAUNCHPAD_EVM } from './evm/tidepool-contracts.js';
import { standardPriceRules } from './price-rules.js';

/** What `evmChain` fills in. */
type Shared = 'aliases' | 'chainId' | 'family' | 'finality' | 'priceRules' | 'ids' | 'launchpads' | 'evm';

interface EvmChain extends Omit<ChainManifest, Shared>, Partial<Pick<ChainManifest, 'aliases' | 'launchpads'>> {
  readonly tailWindowSeconds: number;
  readonly evm: Omit<NonNullable<ChainManifest['evm']>, 'multicall3'>;
}

/** multicall3 is at one address on every chain that has it. */
const MULTICALL3 = 'ca11bde05977b3631167028862be2a173976ca11';

/** The manifest of an EVM chain whose node names a `finalized` block, with Tidepool's own launchpad. */
export function evmChain({ tailWindowSeconds, launchpads = [], evm, ...chain }: EvmChain): ChainManifest {
  return {
    aliases: [],
    ...chain,
    chainId: chain.networkId,
    family: 'evm',
    finality: { source: 'finalized-tag', tailWindowSeconds },
    priceRules: standardPriceRules,
    ids: evmIds,
    launchpads: [{ launchpad: 'tidepool', contracts: { factory: TIDEPOOL_LAUNCHPAD_EVM }, sources: [] }, ...launchpads],
    evm: { multicall3: MULTICALL3, ...evm },
  };
}
