import { base } from '#libs/chain/catalogue/test/chain-specs.js';
import { type ClankerSites, clankerDeployments, clankerOpening } from '#libs/devkit/devnet/evm/clanker/contracts.js';
import type { LocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { placeContracts, sendAll } from '#libs/devkit/devnet/evm/test/place-contracts.js';
import { CLANKER_CONTRACTS } from '../../src/launch/evm/clanker/terms.js';

const factory = base.launchContracts.find(({ launchpad }) => launchpad === 'clanker')!.address;
const v4 = base.venues.find(({ venue }) => venue === 'uniswap-v4')!;

/** Where Clanker's contracts are on Base, and on a local chain that has them. */
export const clankerSites: ClankerSites = {
  ...CLANKER_CONTRACTS.base!,
  ...{ factory: `0x${factory}`, poolManager: `0x${v4.factory}`, wrapped: `0x${base.wrappedNative!.token}` },
  positionManager: `0x${v4.addresses.positionManager}`,
};

/** Puts Clanker's own contracts on a local Base, and opens them as their owner does. */
export async function openClanker(chain: LocalChain): Promise<void> {
  await placeContracts(chain, clankerDeployments(clankerSites, chain.deployer));
  await sendAll(chain, clankerOpening(clankerSites, chain.deployer));
}
