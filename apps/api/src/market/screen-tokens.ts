import { forEachYielding } from '#libs/core/for-each-yielding.js';
import { THIN_USD } from '#libs/pipeline/fold/token-values.js';
import type { ScreenerQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { volumeNumber } from '../rows/display.js';
import { firstOf, type Listing } from './first-of.js';
import { ascending, byDepth, descending, type ListedToken, listedIn } from './listed-token.js';

const THIN = volumeNumber(THIN_USD)!;

/** What is asked for, whatever the page. */
export type Screen = Omit<ScreenerQuery, 'chain' | 'cursor' | 'limit'>;

/** The filters and orders of the screener, as pure functions of what the rows show. */
type Measure = (token: ListedToken, window: StatsWindowName) => number | null;

const measures: Record<string, Measure> = {
  volume: (token, window) => token.volumeUsd(window),
  liquidity: (token) => token.liquidityUsd,
  marketCap: (token) => token.marketCapUsd,
  holders: (token) => token.holders,
  age: (token) => token.ageSeconds,
  priceChange: (token, window) => token.priceChange(window),
  trades: (token, window) => token.trades(window),
  price: (token) => token.priceUsd,
  score: (token, window) => token.score(window),
};

/** Exact values where a measure has them: they order as the numbers shown do, and cost less. */
const exact: Record<string, (token: ListedToken, window: StatsWindowName) => bigint | null> = {
  volume: ({ listed }, window) => listed.counts(window).volumeUsd,
  liquidity: ({ listed }) => listed.liquidityUsd,
  price: ({ listed }) => listed.priceUsd,
};

/** Bounds of the query by the measure they bound. */
export const bounds = ['liquidity', 'marketCap', 'volume', 'holders', 'age'] as const;

type Bound = (typeof bounds)[number];

export function boundsOf(query: Screen, bound: Bound): { min?: number; max?: number } {
  const name = bound.charAt(0).toUpperCase() + bound.slice(1);
  const values = query as unknown as Record<string, number | undefined>;
  return { min: values[`min${name}`], max: values[`max${name}`] };
}

/** Tokens that meet every bound, in the order asked for; what is not known comes last in either order. */
export async function screenTokens(
  markets: readonly Market[],
  query: Screen,
  limit: number,
): Promise<Listing<ListedToken>> {
  const measure = exact[query.sort] ?? measures[query.sort]!;
  const window = query.window as StatsWindowName;
  const compare = query.order === 'asc' ? ascending : descending;
  const tests = testsOf(query);
  const found: { token: ListedToken; value: number | null }[] = [];
  await forEachYielding(listedIn(markets), (token) => {
    if (tests.every((test) => test(token))) found.push({ token, value: measure(token, window) as number | null });
  });
  const first = await firstOf(found, limit, (a, b) => compare(a.value, b.value) || byDepth(a.token, b.token));
  return { first: first.map(({ token }) => token), total: found.length };
}

/** What a token has to meet. One of which a bounded measure is not known meets none. */
function testsOf(query: Screen): ((token: ListedToken) => boolean)[] {
  const window = query.window as StatsWindowName;
  const tests: ((token: ListedToken) => boolean)[] = [];
  for (const bound of bounds) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = boundsOf(query, bound);
    if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) continue;
    const measure = measures[bound]!;
    const backed = bound === 'liquidity' || bound === 'marketCap';
    tests.push((token) => {
      // What could be taken out is compared first: a price that nothing backs meets no bound.
      if (backed && min > 0 && token.exitUsd !== null && token.exitUsd < Math.min(min, THIN)) return false;
      const value = measure(token, window);
      return value !== null && value >= min && value <= max;
    });
  }
  const { creator, launchpad, sellable } = query;
  if (sellable !== undefined) tests.push((token) => token.sellable === (sellable === 'true'));
  if (creator !== undefined) tests.push((token) => token.creator === creator);
  if (launchpad !== undefined) tests.push((token) => token.launchpad === launchpad);
  return tests;
}
