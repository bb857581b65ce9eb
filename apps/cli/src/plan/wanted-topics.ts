import { TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import { evmCurves, evmLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';

/** First topics of every event that an index of the chain is made of. */
export function wantedTopics(chain: ChainSpec): string[] {
  const ofVenues = chain.venues.flatMap(({ venue: name }) => {
    const venue = evmVenues.get(name) ?? evmCurves.get(name);
    return venue === undefined ? [] : [...Object.keys(venue.creations), ...Object.keys(venue.events)];
  });
  const ofLaunchpads = chain.launchContracts.flatMap(({ launchpad, role }) =>
    Object.keys(evmLaunchpads.get(launchpad)?.steps?.contracts[role] ?? {}),
  );
  return [...new Set([TRANSFER_TOPIC, ...ofVenues, ...ofLaunchpads])];
}

/** Contracts of the chain that are known before anything was read: what makes or holds pools, the coin, stablecoins. */
export function knownContracts(chain: ChainSpec): string[] {
  const ids = [
    ...chain.venues.map(({ factory }) => factory),
    ...chain.launchContracts.map(({ address }) => address),
    chain.wrappedNative.token,
    ...chain.stables.map(({ token }) => token),
  ];
  return [...new Set(ids)].map((id) => `0x${id}`);
}
