import { launchpadsByProgram, type SolanaLaunchpads } from '#libs/chains/solana/launches.js';
import type { SolanaPoolVenue } from '#libs/chains/solana/pool-math.js';
import { type SolanaVenues, venuesByProgram } from '#libs/chains/solana/trades.js';
import type { SolanaVenue } from '#libs/chains/solana/venue.js';

/** What decoding asks: programs that trade, those of them on which tokens start, and venues whose pools can be read. */
export interface SolanaTables {
  readonly venues: SolanaVenues;
  readonly launchpads: SolanaLaunchpads;
  /** By venue id. */
  readonly pools: ReadonlyMap<string, SolanaPoolVenue>;
}

export const solanaTables = (venues: readonly SolanaVenue[], pools: readonly SolanaPoolVenue[]): SolanaTables => ({
  venues: venuesByProgram(venues),
  launchpads: launchpadsByProgram(venues),
  pools: new Map(pools.map((pool) => [pool.venue, pool])),
});
