import { forEachYielding } from '#libs/core/for-each-yielding.js';
import { THIN_USD } from '#libs/pipeline/fold/token-values.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { volumeNumber } from '../rows/display.js';
import { firstOf, type Listing } from './first-of.js';
import { byDepth, type ListedToken, listedIn } from './listed-token.js';
import type { MarketList } from './market-list.js';

/**
 * Tokens with trades in the window and a price that is not thin, the highest score first. What other tokens are priced in, stables and the coin, trades
 * with every token: it would lead each list and is left out.
 */
async function trendingTokens(
  markets: readonly Market[],
  window: StatsWindowName,
  limit: number,
): Promise<Listing<ListedToken>> {
  const active: { token: ListedToken; score: number }[] = [];
  await forEachYielding(listedIn(markets), (token) => {
    const isThin = token.exitUsd !== null && token.exitUsd < LEAST_EXIT_USD;
    if (token.listed.level > 0 && !isThin && token.trades(window) > 0)
      active.push({ token, score: token.score(window) });
  });
  const most = Math.max(limit, TOP);
  const first = await firstOf(active, most, (a, b) => b.score - a.score || byDepth(a.token, b.token));
  const tokens = shallowestLast(first.map(({ token }) => token));
  return { first: tokens.slice(0, limit), total: active.length };
}

const TOP = 10;
const LEAST_EXIT_USD = volumeNumber(THIN_USD)!;

/** Of the first ten the one with the least exit is the tenth: activity can be made up, what could be taken out cannot. */
function shallowestLast(tokens: readonly ListedToken[]): ListedToken[] {
  if (tokens.length < TOP) return [...tokens];
  const top = tokens.slice(0, TOP);
  const exitOf = (token: ListedToken): number => token.exitUsd ?? Number.POSITIVE_INFINITY;
  const least = top.reduce((found, token) => (exitOf(token) <= exitOf(found) ? token : found));
  return [...top.filter((token) => token !== least), least, ...tokens.slice(TOP)];
}

export const trendingList = (window: StatsWindowName): MarketList<ScreenerRow> => ({
  ...{ name: 'trending', parameters: { window } },
  first: (markets, limit) => trendingTokens(markets, window, limit),
  row: (token) => token.screenerRow(window),
});
