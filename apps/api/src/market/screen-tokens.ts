import type { ScreenerQuery } from '#libs/protocol/rest/market-queries.js';
import type { StatsWindowName } from '#libs/reader/read-stats.js';
import { ascending, byDepth, descending, type ListedToken } from './listed-token.js';

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

/** In the order asked for; what is not known comes last in either order. */
export function sortTokens(tokens: readonly ListedToken[], query: Screen): ListedToken[] {
  const measure = exact[query.sort] ?? measures[query.sort]!;
  const window = query.window as StatsWindowName;
  const compare = query.order === 'asc' ? ascending : descending;
  return tokens
    .map((token) => ({ token, value: measure(token, window) as number | null }))
    .sort((a, b) => compare(a.value, b.value) || byDepth(a.token, b.token))
    .map(({ token }) => token);
}

/** Those that meet every bound. A token of which a bounded measure is not known meets none. */
export function filterTokens(tokens: readonly ListedToken[], query: Screen): readonly ListedToken[] {
  const window = query.window as StatsWindowName;
  const tests: ((token: ListedToken) => boolean)[] = [];
  for (const bound of bounds) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = boundsOf(query, bound);
    if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) continue;
    const measure = measures[bound]!;
    tests.push((token) => {
      const value = measure(token, window);
      return value !== null && value >= min && value <= max;
    });
  }
  const { creator, launchpad } = query;
  if (creator !== undefined) tests.push((token) => token.creator === creator);
  if (launchpad !== undefined) tests.push((token) => token.launchpad === launchpad);
  return tests.length === 0 ? tokens : tokens.filter((token) => tests.every((test) => test(token)));
}
