import type { EventDecoder } from '#libs/chains/evm/event-decoder.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { EvmVenue } from './evm-venue.js';
import { pancakeswapV2 } from './pancakeswap-v2/decode.js';
import { pancakeswapV3 } from './pancakeswap-v3/decode.js';
import { uniswapV2 } from './uniswap-v2/decode.js';
import { uniswapV3 } from './uniswap-v3/decode.js';

/** One line a venue. */
export const evmVenues: ReadonlyMap<string, EvmVenue> = registerVenues([
  uniswapV2,
  uniswapV3,
  pancakeswapV2,
  pancakeswapV3,
]);

export function registerVenues(venues: readonly EvmVenue[]): ReadonlyMap<string, EvmVenue> {
  const byName = new Map<string, EvmVenue>();
  for (const venue of venues) {
    if (byName.has(venue.venue)) throw new TidepoolError('duplicate_venue', `venue ${venue.venue} registered twice`);
    byName.set(venue.venue, venue);
  }
  poolEventTable(venues);
  return byName;
}

/**
 * Topic 0 → decoder over several venues. Forks share topics with their origin: that is fine as long as they share the
 * very decoder too; two different readings of one topic stop the boot.
 */
export function poolEventTable(venues: Iterable<EvmVenue>): Map<string, EventDecoder> {
  const table = new Map<string, EventDecoder>();
  for (const { venue, events } of venues) {
    for (const [topic, decoder] of Object.entries(events)) {
      const known = table.get(topic);
      if (known && known !== decoder) {
        throw new TidepoolError('duplicate_topic', `${venue} decodes topic ${topic} unlike a venue before it`);
      }
      table.set(topic, decoder);
    }
  }
  return table;
}
