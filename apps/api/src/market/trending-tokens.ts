import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { firstOf, type Listing } from './first-of.js';
import { byDepth, type ListedToken, listedIn } from './listed-token.js';
import type { MarketList } from './market-list.js';

/**
 * Tokens with trades in the window, the highest score first. What other tokens are priced in, stables and the coin, trades
 * with every token: it would lead each list and is left out.
 */
async function trendingTokens(
  markets: readonly Market[],
  window: StatsWindowName,
  limit: number,
): Promise<Listing<ListedToken>> {
  const active: { token: ListedToken; score: number }[] = [];
  await forEachYielding(listedIn(markets), (token) => {
    if (token.listed.level > 0 && token.trades(window) > 0) active.push({ token, score: token.score(window) });
  });
  const first = await firstOf(active, limit, (a, b) => b.score - a.score || byDepth(a.token, b.token));
  return { first: first.map(({ token }) => token), total: active.length };
}

export const trendingList = (window: StatsWindowName): MarketList<ScreenerRow> => ({
  ...{ name: 'trending', parameters: { window } },
  first: (markets, limit) => trendingTokens(markets, window, limit),
  row: (token) => token.screenerRow(window),
});
