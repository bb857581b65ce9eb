// Room: the catalogue that joins each chain with its venues and launchpads. May import core, protocol, chain/chains,
// chain/market-ports, chain/venues, chain/launchpads.

import type { ChainManifest } from '#libs/chain/chains/chain-manifest.js';
import { chainManifests } from '#libs/chain/chains/registry.js';
import { evmLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import { type ChainSpec, routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { joinChain, type Registered } from './join-chain.js';

/** The one place where chains meet venues and launchpads. */
const registered: Registered = {
  evm: { venues: evmVenues, launchpads: evmLaunchpads },
  solana: { venues: solanaVenues, launchpads: solanaLaunchpads },
};

const specs: ReadonlyMap<string, ChainSpec> = new Map(
  chainManifests.all.map((chain: ChainManifest) => [chain.slug, joinChain(chain, registered)]),
);

/** Spec of a chain by its slug; null when there is none. */
export const chainSpec = (slug: string): ChainSpec | null => specs.get(slug) ?? null;

/** All chains that this program can index, in the order of their registry. */
export const servedChains = (): ChainSpec[] => [...specs.values()];

/** The EVM chains that the router quotes on, in the same order: those with a venue that is routed. */
export const routedEvmChains = (): ChainSpec[] =>
  servedChains().filter((spec) => spec.family === 'evm' && routedVenues(spec).length > 0);

/** The folder that a Solana venue comes from: its pools, and how the swap program calls them; null for any other venue. */
export const solanaModule = (venue: string): SolanaVenueModule | null =>
  [...solanaVenues, ...solanaLaunchpads].find(({ decoder }) => decoder.venue === venue) ?? null;

const firstEvm = chainManifests.all.find(({ family }) => family === 'evm');

/** What the configuration has to know of chains, in the order of the registry: that of errors and lists. */
export const listedChains = servedChains().map(({ slug, aliases, networkId, family }) => ({
  ...{ slug, aliases, networkId, family },
  served: true,
}));

/** The same in the order in which chains are started: an EVM chain is first. */
export const configurableChains = [...listedChains].sort(
  (a, b) => Number(b.slug === firstEvm?.slug) - Number(a.slug === firstEvm?.slug),
);
