import type { ChainManifest, VenueAddresses } from '#libs/chain/chains/chain-manifest.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { ChainSpec, VenueContracts, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { SolanaLaunchpadModule, SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { TidepoolError } from '#libs/core/errors.js';

/** Everything that is registered, by family. */
export interface Registered {
  evm: { venues: ReadonlyMap<string, EvmVenueModule>; launchpads: ReadonlyMap<string, EvmLaunchpad> };
  solana: { venues: readonly SolanaVenueModule[]; launchpads: readonly SolanaLaunchpadModule[] };
}

/**
 * Joins what a chain says (addresses) with what venues and launchpads say of themselves. A venue that the chain names and
 * that is not registered, or that it names twice, stops the boot.
 */
export function joinChain(chain: ChainManifest, registered: Registered): ChainSpec {
  const market = chain.family === 'solana' ? solanaMarket(chain, registered.solana) : evmMarket(chain, registered.evm);
  const names = new Set<string>();
  for (const { venue } of market.venues) {
    if (names.has(venue)) {
      throw new TidepoolError('duplicate_venue', `venue ${venue} registered twice on ${chain.slug}`);
    }
    names.add(venue);
  }
  return { ...chain, ...market };
}

type Market = Pick<ChainSpec, 'venues' | 'launchpads' | 'pinnedHooks' | 'launchContracts'>;

/** Programs have the same address wherever they are: every registered one is on the chain. */
function solanaMarket(chain: ChainManifest, { venues, launchpads }: Registered['solana']): Market {
  const venueSpec = ({ decoder: { venue, dex, program } }: SolanaVenueModule): VenueSpec => {
    const factory = solanaIds.parseAddress(program);
    if (factory === null) throw new TidepoolError('bad_program', `${venue}: ${program} is no address`);
    const id = `${chain.slug}-${venue}`;
    return {
      ...{ venue, id, label: dex, aliases: [id, venue], protocol: 'program', factory },
      ...{ addresses: {}, contracts: null },
    };
  };
  return {
    venues: [...venues, ...launchpads].map(venueSpec),
    launchpads: launchpads.map(({ decoder }) => decoder.launchpad),
    pinnedHooks: [],
    launchContracts: [],
  };
}

function evmMarket(chain: ChainManifest, { venues, launchpads }: Registered['evm']): Market {
  const venueSpec = (addresses: VenueAddresses): VenueSpec => {
    const venue = venues.get(addresses.venue);
    if (!venue) throw new TidepoolError('unknown_venue', `${chain.slug}: venue ${addresses.venue} is not registered`);
    const id = `${chain.slug}-${venue.venue}`;
    const aliases = venue.aliases.flatMap((alias) => [alias, `${chain.slug}-${dashed(alias)}`]);
    return {
      venue: venue.venue,
      id,
      label: venue.label,
      aliases: [id, ...aliases],
      protocol: venue.protocol,
      factory: addresses.factory,
      addresses: addresses.contracts ?? {},
      contracts: routedContracts(chain, addresses, venue),
    };
  };
  const curves = chain.launchpads.flatMap(({ launchpad: name, contracts: { factory } }): VenueSpec[] => {
    const made = launchpads.get(name)?.curves;
    if (made === undefined) return [];
    if (factory === undefined) throw new TidepoolError('no_address', `${chain.slug}: ${name} needs its factory`);
    const { venue, label, protocol } = made;
    const id = `${chain.slug}-${venue}`;
    return [{ venue, id, label, aliases: [id], protocol, factory, addresses: {}, contracts: null }];
  });
  const launchContracts = chain.launchpads.flatMap(({ launchpad, contracts }) =>
    Object.keys(launchpads.get(launchpad)?.steps?.contracts ?? {}).map((role) => {
      const address = contracts[role];
      if (address === undefined) throw new TidepoolError('no_address', `${chain.slug}: ${launchpad} needs its ${role}`);
      return { launchpad, role, address };
    }),
  );
  const pinnedHooks = chain.launchpads.flatMap(({ launchpad: name, contracts }) => {
    const launchpad = launchpads.get(name);
    if (!launchpad) throw new TidepoolError('unknown_launchpad', `${chain.slug}: launchpad ${name} is not registered`);
    return Object.entries(launchpad.hooks).map(([role, codeHash]) => {
      const address = contracts[role];
      if (address === undefined) throw new TidepoolError('no_address', `${chain.slug}: ${name} needs its ${role}`);
      return { address, codeHash };
    });
  });
  return {
    venues: [...chain.venues.map(venueSpec), ...curves],
    launchpads: chain.launchpads.map((pad) => pad.launchpad),
    pinnedHooks,
    launchContracts,
  };
}

const dashed = (label: string): string => label.toLowerCase().replaceAll(' ', '-');

function routedContracts(
  chain: ChainManifest,
  site: VenueAddresses,
  { routing }: EvmVenueModule,
): VenueContracts | null {
  if (routing === null) return null;
  const { quoter, code, observed = {}, ...interfaces } = routing;
  const router = addressOf(chain, site, 'router');
  return {
    ...interfaces,
    router,
    ...(quoter && { quoter: { address: addressOf(chain, site, 'quoter'), ...quoter } }),
    sources: site.sources,
    code: {
      ...code,
      router: observed[router] ?? code.router,
      wrappedNative: chain.evm?.wrappedNativeCode ?? null,
    },
  };
}

function addressOf(chain: ChainManifest, { venue, contracts }: VenueAddresses, role: string): string {
  const address = contracts?.[role];
  if (address === undefined) throw new TidepoolError('no_address', `${chain.slug}: ${venue} needs its ${role}`);
  return address;
}
