import type { E36 } from '#libs/core/money.js';
import type { TokenStats, WindowStats } from '#libs/serve/contract/rest/token-stats.js';
import type { StatsWindowName, TokenWindow } from '#libs/serve/reader/read-stats.js';
import { volumeNumber } from './display.js';

/** Counts of a token over windows, as every route shows them. */
export function statsRow(stats: Record<StatsWindowName, TokenWindow>, priceUsd: E36 | null): TokenStats {
  const window = (counts: TokenWindow): WindowStats => ({
    priceChangePercent: changePercent(counts.priceBefore, priceUsd),
    volumeUsd: volumeNumber(counts.volumeUsd)!,
    loopVolumeUsd: volumeNumber(counts.loopVolumeUsd)!,
    buys: counts.buys,
    sells: counts.sells,
    buyers: counts.buyers,
    sellers: counts.sellers,
    trades: counts.trades,
  });
  return {
    '5m': window(stats['5m']),
    '1h': window(stats['1h']),
    '6h': window(stats['6h']),
    '24h': window(stats['24h']),
  };
}

/** In percent with four decimals; null when either price is missing. */
export function changePercent(before: E36 | null, now: E36 | null): number | null {
  if (before === null || now === null || before === 0n) return null;
  return Number(((now - before) * 1_000_000n) / before) / 10_000;
}
