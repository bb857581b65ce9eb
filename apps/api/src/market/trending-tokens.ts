import type { Market } from '#libs/reader/read-market.js';
import type { StatsWindowName } from '#libs/reader/read-stats.js';
import { byDepth, ListedToken } from './listed-token.js';

/**
 * Tokens with trades in the window, the highest score first. What other tokens are priced in, stables and the coin, trades
 * with every token: it would lead each list and is left out.
 */
export function trendingTokens(markets: readonly Market[], window: StatsWindowName): ListedToken[] {
  const active = markets.flatMap((market) =>
    [...market.tokens.values()]
      .filter((listed) => listed.level > 0 && listed.counts(window).trades > 0)
      .map((listed) => new ListedToken(market, listed)),
  );
  return active
    .map((token) => ({ token, score: token.score(window) }))
    .sort((a, b) => b.score - a.score || byDepth(a.token, b.token))
    .map(({ token }) => token);
}
