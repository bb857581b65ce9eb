import { badRequest } from '#libs/serve/http/problem.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import { ListedToken } from './listed-token.js';
import { bounds, boundsOf, type Screen } from './screen-tokens.js';

/** What may be unknown of every token of a chain: whether it is known follows from what the chain's log holds. */
const measures = {
  marketCap: (token: ListedToken) => token.marketCapUsd,
  holders: (token: ListedToken) => token.holders,
  age: (token: ListedToken) => token.createdAt,
  creator: (token: ListedToken) => token.creator,
} as const;

type Measure = keyof typeof measures;

/** A 400 for an order or a bound that no token of the chains asked for could have a place in. */
export function mustBeMeasured(markets: readonly Market[], query: Screen): void {
  const asked = new Set<string>(query.sort in measures ? [query.sort] : []);
  for (const bound of bounds) {
    const { min, max } = boundsOf(query, bound);
    if (min !== undefined || max !== undefined) asked.add(bound);
  }
  if (query.creator !== undefined) asked.add('creator');
  const chains = markets.map(({ view }) => view.chain.slug).join(', ');
  for (const name of asked) {
    if (name in measures && !markets.some((market) => isMeasured(market, name as Measure))) {
      throw badRequest(`${name} is not measured on ${chains}: no list can be ordered or filtered by it`);
    }
  }
  mustBeIndexed(markets, query.launchpad);
}

/** A 400 for a launchpad that none of the chains asked for has. */
export function mustBeIndexed(markets: readonly Market[], launchpad: string | undefined): void {
  if (launchpad === undefined || markets.some(({ view }) => view.chain.launchpads.includes(launchpad))) return;
  const chains = markets.map(({ view }) => view.chain.slug).join(', ');
  throw badRequest(`launchpad ${launchpad} is not indexed on ${chains}: no list can be filtered by it`);
}

/** Found out once for each market. */
const known = new WeakMap<Market, Map<Measure, boolean>>();

/** A market without any token measures nothing and refuses nothing. */
function isMeasured(market: Market, measure: Measure): boolean {
  const answers = known.get(market) ?? new Map<Measure, boolean>();
  known.set(market, answers);
  let answer = answers.get(measure);
  if (answer === undefined) {
    const value = measures[measure];
    answer = market.tokens.size === 0;
    for (const listed of market.tokens.values()) {
      if (answer) break;
      answer = value(new ListedToken(market, listed)) !== null;
    }
    answers.set(measure, answer);
  }
  return answer;
}
