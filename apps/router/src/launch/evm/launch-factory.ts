import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';

/** The contract that makes a launchpad's tokens on a chain, whose events tell us of them as well. */
export function launchFactory({ launchContracts, slug }: ChainSpec, platform: string): Hex {
  const found = launchContracts.find(({ launchpad, role }) => launchpad === platform && role === 'factory');
  if (found === undefined) throw new Error(`${slug} has no factory of ${platform}`);
  return found.address;
}
