import type { E18 } from '#libs/core/money.js';
import { keyedProjection } from '../keyed-projection.js';

/** What was traded on a venue on a day of UTC. */
export interface VenueVolume {
  venue: string;
  /** Days since 1970-01-01. */
  day: number;
  /** Of the trades whose quote token had a price. */
  volumeUsd: E18;
  trades: number;
}

declare module '#libs/protocol/facts.js' {
  interface FactsBlock {
    venueVolumes?: VenueVolume[];
  }
  interface FactsRetract {
    venueVolumes?: VenueVolume[];
  }
}

export const DAY_MS = 86_400_000;

/** Volume and number of trades by venue and day of block time. */
export const venueVolumes = keyedProjection<VenueVolume>({
  name: 'venue-volumes',
  version: 1,
  member: 'venueVolumes',
  table: 'venue_volumes',
  key: [
    { name: 'venue', kind: 'label', column: 'word' },
    { name: 'day', kind: 'unsigned', column: 'uint32' },
  ],
  values: [
    { name: 'volumeUsd', kind: 'amount', column: 'sumE18' },
    { name: 'trades', kind: 'unsigned', column: 'uint64' },
  ],
  fold(block, rows) {
    const day = Math.floor(block.time / DAY_MS);
    const added = new Map<string, { volumeUsd: E18; trades: number }>();
    for (const { venue, volumeUsd } of block.trades) {
      const sum = added.get(venue);
      if (sum === undefined) added.set(venue, { volumeUsd: volumeUsd ?? 0n, trades: 1 });
      else {
        sum.volumeUsd += volumeUsd ?? 0n;
        sum.trades++;
      }
    }
    for (const [venue, { volumeUsd, trades }] of added) {
      const before = rows.get({ venue, day });
      rows.set({ venue, day, volumeUsd: before.volumeUsd + volumeUsd, trades: before.trades + trades });
    }
  },
});
