import { TidepoolError } from '#libs/core/errors.js';
import type { EvmVenueModule, PoolEventReader } from './evm-venue.js';

/** Venues by name. A name twice, or one topic read in two ways, stops the boot. */
export function registerVenues(venues: readonly EvmVenueModule[]): ReadonlyMap<string, EvmVenueModule> {
  const byName = new Map<string, EvmVenueModule>();
  for (const venue of venues) {
    if (byName.has(venue.venue)) throw new TidepoolError('duplicate_venue', `venue ${venue.venue} registered twice`);
    byName.set(venue.venue, venue);
  }
  poolEventTable(venues);
  return byName;
}

/**
 * Topic 0 → reader over several venues. Forks share topics with their origin: that is fine as long as they share the very
 * reader too.
 */
export function poolEventTable(venues: Iterable<EvmVenueModule>): Map<string, PoolEventReader> {
  const table = new Map<string, PoolEventReader>();
  for (const { venue, events } of venues) {
    for (const [topic, reader] of Object.entries(events)) {
      const known = table.get(topic);
      if (known && known !== reader) {
        throw new TidepoolError('duplicate_topic', `${venue} decodes topic ${topic} unlike a venue before it`);
      }
      table.set(topic, reader);
    }
  }
  return table;
}
