import { launchpadsByProgram, type SolanaLaunchpads } from '#libs/chain/market-ports/solana/launches.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import type { SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import { type SolanaVenues, venuesByProgram } from '#libs/chain/market-ports/solana/trades.js';

/** What decoding asks: programs that trade, those of them on which tokens start, and venues whose pools can be read. */
export interface SolanaTables {
  readonly venues: SolanaVenues;
  readonly launchpads: SolanaLaunchpads;
  /** By venue id. */
  readonly pools: ReadonlyMap<string, SolanaPoolVenue>;
  /** By venue id. */
  readonly ranges: ReadonlyMap<string, SolanaPoolRanges>;
}

export function solanaTables(modules: readonly SolanaVenueModule[]): SolanaTables {
  const decoders = modules.map(({ decoder }) => decoder);
  return {
    venues: venuesByProgram(decoders),
    launchpads: launchpadsByProgram(decoders),
    pools: new Map(modules.flatMap(({ pools }) => (pools === null ? [] : [[pools.venue, pools]]))),
    ranges: new Map(modules.flatMap(({ decoder, ranges }) => (ranges === undefined ? [] : [[decoder.venue, ranges]]))),
  };
}
