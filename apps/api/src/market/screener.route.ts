import { ScreenerQuery } from '#libs/serve/contract/rest/market-queries.js';
import { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { MarketLists } from './market-lists.js';

@Route({
  ...marketRoute('list', unknownChain),
  id: 'getScreener',
  path: '/screener',
  summary: 'Tokens in an order, within bounds',
  description:
    'Price, liquidity and statistics of a row are those that the token itself shows at the same block. A list is read from the state of a moment ago, which `meta` names; a cursor pins it: no row is lost or repeated from page to page. A chain that cannot be served now is left out of a list over all chains.',
  query: ScreenerQuery,
  answer: ScreenerAnswer,
})
export class ScreenerRoute implements RouteHandler<object, ScreenerQuery> {
  constructor(private readonly lists: MarketLists) {}

  handle({ query }: RouteInput<object, ScreenerQuery>): Promise<Answer> {
    return this.lists.screener(query);
  }
}
