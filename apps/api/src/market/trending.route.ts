import { TrendingQuery } from '#libs/serve/contract/rest/market-queries.js';
import { TrendingAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { MarketLists } from './market-lists.js';

@Route({
  ...marketRoute('list', unknownChain),
  id: 'getTrending',
  path: '/trending',
  summary: 'The most active tokens of a window',
  description:
    'Ordered by `score` = ln(1 + volumeUsd) × ln(1 + buyers + sellers), both of the window, of volume at most 20 times `exitUsd` and at most one wallet for every 10 USD of it: a token needs volume, many different wallets and a price that is backed to be high. A thin price is left out, and of the first ten the one with the least `exitUsd` is the tenth. Read from the state of a moment ago, which `meta` names; a cursor pins it.',
  query: TrendingQuery,
  answer: TrendingAnswer,
})
export class TrendingRoute implements RouteHandler<object, TrendingQuery> {
  constructor(private readonly lists: MarketLists) {}

  handle({ query }: RouteInput<object, TrendingQuery>): Promise<Answer> {
    return this.lists.trending(query);
  }
}
