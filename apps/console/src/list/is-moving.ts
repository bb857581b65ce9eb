import type { TokenStats } from '#libs/serve/contract/rest/token-stats.js';

/** The price of a token changed over some window; that of a stable does not change, and a change that is not known is none. */
export const isMoving = ({ stats }: { stats: TokenStats }): boolean =>
  (['5m', '1h', '6h', '24h'] as const).some((window) => stats[window].priceChangePercent);
