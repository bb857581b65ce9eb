import type { ChainSpec, VenueSpec } from '#libs/chains/chain-spec.js';
import type { EvmChainRow, EvmChainsAnswer } from '#libs/protocol/rest/evm/chain-body.js';
import type { EvmVenue, EvmVenuesAnswer, EvmVerification } from '#libs/protocol/rest/evm/venue-body.js';
import type { EvmChain } from '../ports.js';

/** Venues and chains as the lists show them: always all of them, in the order of the chains and of their specs. */
export const venuesAnswer = (chains: readonly EvmChain[]): EvmVenuesAnswer => ({ venues: chains.flatMap(rowsOf) });

export const chainsAnswer = (chains: readonly EvmChain[]): EvmChainsAnswer => ({ chains: chains.map(chainOf) });

/** Without a node nothing was checked yet: the rows say so. */
function rowsOf({ spec, desk, absence }: EvmChain): readonly EvmVenue[] {
  if (desk !== null) return desk.venues.rows();
  const verification: EvmVerification = { status: 'pending', reason: absence, anchor: null, at: null };
  return spec.venues.filter(({ contracts }) => contracts !== null).map((venue) => venueRow(spec, venue, verification));
}

const MAX_HOPS = 3;

function chainOf(chain: EvmChain): EvmChainRow {
  const { spec, desk } = chain;
  const { formatAddress } = spec.ids;
  const { source } = spec.finality;
  const rpcUrl = desk?.demoRpcUrl ?? null;
  return {
    chain: spec.slug,
    chainId: spec.chainId!,
    aliases: [...spec.aliases],
    family: 'evm',
    nativeCurrency: { ...spec.nativeCurrency },
    wrappedNative: formatAddress(spec.wrappedNative.token),
    quoteLifetimeMs: spec.evm!.quoteLifetimeMs,
    maxHops: MAX_HOPS,
    intermediates: spec.evm!.intermediates.map(formatAddress),
    simulation: desk?.builder.simulation() ?? 'unknown',
    finality:
      source === 'finalized-tag'
        ? { source: 'finalized', confirmations: 0 }
        : { source: 'confirmations', confirmations: source.confirmations },
    venues: [...rowsOf(chain)],
    demo: rpcUrl === null ? null : { rpcUrl },
  };
}

export function venueRow(chain: ChainSpec, venue: VenueSpec, verification: EvmVerification): EvmVenue {
  const { formatAddress } = chain.ids;
  const { router, routerAbi, routerFactoryGetter, routerWrappedNativeGetter, fee, quoter, feeTiers, sources } =
    venue.contracts!;
  return {
    id: venue.id,
    dex: venue.label,
    aliases: [...venue.aliases],
    chain: chain.slug,
    chainId: chain.chainId!,
    protocol: venue.protocol,
    factory: formatAddress(venue.factory),
    router: formatAddress(router),
    wrappedNative: formatAddress(chain.wrappedNative.token),
    ...(fee && { feeNumerator: fee.numerator, feeDenominator: fee.denominator }),
    ...(quoter && { quoter: formatAddress(quoter.address) }),
    ...(feeTiers && { feeTiers: [...feeTiers] }),
    routerAbi,
    routerFactoryGetter,
    routerWrappedNativeGetter,
    ...(quoter && {
      quoterAbi: quoter.abi,
      quoterFactoryGetter: quoter.factoryGetter,
      quoterWrappedNativeGetter: quoter.wrappedNativeGetter,
    }),
    sources: [...sources],
    buildable: true,
    servable: verification.status === 'verified',
    verification,
  };
}
