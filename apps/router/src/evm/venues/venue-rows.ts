import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { EvmVenue, EvmVerification } from '#libs/serve/contract/rest/evm/venue-body.js';

/** Before the first check. */
export const notVerified: EvmVerification = { status: 'pending', reason: null, anchor: null, at: null };

/** The row of a venue that the router can build for. Only a `verified` one is servable. */
export function venueRow(chain: ChainSpec, venue: VenueSpec, verification: EvmVerification): EvmVenue {
  const { contracts, protocol } = venue;
  if (contracts === null) throw new TidepoolError('not_routed', `${venue.id} has no contracts to route through`);
  const { fee, quoter, feeTiers } = contracts;
  const { formatAddress } = chain.ids;
  return {
    id: venue.id,
    dex: venue.label,
    aliases: [...venue.aliases],
    chain: chain.slug,
    chainId: chain.chainId!,
    protocol,
    factory: formatAddress(venue.factory),
    router: formatAddress(contracts.router),
    wrappedNative: formatAddress(chain.wrappedNative.token),
    ...(fee && { feeNumerator: fee.numerator, feeDenominator: fee.denominator }),
    ...(quoter && { quoter: formatAddress(quoter.address) }),
    ...(feeTiers && { feeTiers: [...feeTiers] }),
    routerAbi: contracts.routerAbi,
    routerFactoryGetter: contracts.routerFactoryGetter,
    routerWrappedNativeGetter: contracts.routerWrappedNativeGetter,
    ...(quoter && {
      quoterAbi: quoter.abi,
      quoterFactoryGetter: quoter.factoryGetter,
      quoterWrappedNativeGetter: quoter.wrappedNativeGetter,
    }),
    sources: [...contracts.sources],
    buildable: true,
    servable: verification.status === 'verified',
    verification,
  };
}
