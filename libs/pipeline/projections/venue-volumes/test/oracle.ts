import type { FactsBlock } from '#libs/protocol/facts.js';
import { DAY_MS, type VenueVolume } from '../projection.js';

/** The volumes of these blocks, worked out from all of their trades. In the order of venue and day. */
export function naiveVolumes(blocks: readonly FactsBlock[]): VenueVolume[] {
  const trades = blocks.flatMap((block) =>
    block.trades.map((trade) => ({ ...trade, day: Math.floor(block.time / DAY_MS) })),
  );
  const keys = [...new Set(trades.map(({ venue, day }) => `${day} ${venue}`))];
  const volumes = keys.map((key) => {
    const own = trades.filter(({ venue, day }) => `${day} ${venue}` === key);
    const { venue, day } = own[0]!;
    const kept = own.filter(({ uncounted }) => uncounted !== 'reverted');
    return {
      venue,
      day,
      volumeUsd: kept.reduce((sum, trade) => sum + (trade.volumeUsd ?? 0n), 0n),
      trades: own.length,
    };
  });
  return volumes.sort((a, b) => (a.venue === b.venue ? a.day - b.day : a.venue < b.venue ? -1 : 1));
}
