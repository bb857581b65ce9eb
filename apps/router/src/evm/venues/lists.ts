import type { EvmChainRow, EvmChainsAnswer } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmVenue, EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import type { EvmChain } from '../ports.js';
import { MAX_HOPS } from '../quote/quote-parameters.js';
import { notVerified, venueRow } from './venue-rows.js';

/** Venues and chains as the lists show them: always all of them, in the order of the chains and of their specs. */
export const venuesAnswer = (chains: readonly EvmChain[]): EvmVenuesAnswer => ({ venues: chains.flatMap(rowsOf) });

export const chainsAnswer = (chains: readonly EvmChain[]): EvmChainsAnswer => ({ chains: chains.map(chainOf) });

/** Without a node no venue was checked yet, and the rows say so. */
function rowsOf({ spec, services, absence }: EvmChain): readonly EvmVenue[] {
  if (services !== null) return services.venues.rows();
  const verification = { ...notVerified, reason: absence };
  return spec.venues.filter(({ contracts }) => contracts !== null).map((venue) => venueRow(spec, venue, verification));
}

function chainOf(chain: EvmChain): EvmChainRow {
  const { spec, services } = chain;
  const { formatAddress } = spec.ids;
  const { source } = spec.finality;
  const rpcUrl = services?.demoRpcUrl ?? null;
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
    simulation: services?.builder.simulation() ?? 'unknown',
    finality:
      source === 'finalized-tag'
        ? { source: 'finalized', confirmations: 0 }
        : { source: 'confirmations', confirmations: source.confirmations },
    venues: [...rowsOf(chain)],
    demo: rpcUrl === null ? null : { rpcUrl },
  };
}
