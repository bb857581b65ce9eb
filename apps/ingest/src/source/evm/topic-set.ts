import type { ChainSpec } from '#libs/chains/chain-spec.js';
import { TRANSFER_TOPIC } from '#libs/chains/evm/erc20/transfer.js';
import type { EventDecoder } from '#libs/chains/evm/event-decoder.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { EvmVenue } from '#libs/venues/evm-venue.js';
import type { KnownFactory } from '#libs/venues/pool-probe.js';
import { evmVenues, poolEventTable } from '#libs/venues/registry.js';

/** The venues of a chain and every topic that is asked for. Logs are fetched by topic, without an address filter. */
export interface TopicSet {
  readonly venues: ReadonlyMap<string, EvmVenue>;
  readonly factories: ReadonlyMap<Hex, KnownFactory>;
  /** Topics that some pool of the venues emits. */
  readonly poolEvents: ReadonlyMap<string, EventDecoder>;
  readonly creations: ReadonlySet<string>;
  readonly all: readonly string[];
  has(topic: string | undefined): boolean;
}

export function topicSet(chain: ChainSpec): TopicSet {
  const venues = new Map<string, EvmVenue>();
  const factories = new Map<Hex, KnownFactory>();
  for (const spec of chain.venues) {
    const venue = evmVenues.get(spec.venue);
    if (!venue) throw new TidepoolError('unknown_venue', `${chain.slug}: no decoder for venue ${spec.venue}`);
    venues.set(spec.venue, venue);
    factories.set(spec.factory, { factory: spec.factory, venue });
  }
  const poolEvents = poolEventTable(venues.values());
  const creations = new Set([...venues.values()].map((venue) => venue.creationTopic));
  const wanted = new Set([TRANSFER_TOPIC, ...creations, ...poolEvents.keys()]);
  return {
    venues,
    factories,
    poolEvents,
    creations,
    all: [...wanted],
    has: (topic) => topic !== undefined && wanted.has(topic),
  };
}
