import type { E18 } from '#libs/core/money.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';

/** What was traded on a venue on a day of UTC. */
export type VenueVolume = RowOf<typeof fields>;

const fields = {
  key: {
    venue: 'word',
    /** Days since 1970-01-01. */
    day: 'uint32',
  },
  values: {
    /** Of the trades whose quote token had a price and that their block did not undo. */
    volumeUsd: 'sumE18',
    trades: 'uint64',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    venueVolumes?: VenueVolume[];
  }
}

export const DAY_MS = 86_400_000;

/** Volume and number of trades by venue and day of block time. */
export const venueVolumes = keyedProjection<VenueVolume>({
  name: 'venue-volumes',
  version: 1,
  member: 'venueVolumes',
  fields,
  fold(block, rows) {
    const day = Math.floor(block.time / DAY_MS);
    const added = new Map<string, { volumeUsd: E18; trades: number }>();
    for (const { venue, volumeUsd: value, uncounted } of block.trades) {
      const volumeUsd = uncounted === 'reverted' ? 0n : value;
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
