import { SearchQuery } from '#libs/serve/contract/rest/market-queries.js';
import { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { MarketLists } from './market-lists.js';

@Route({
  ...marketRoute('list', unknownChain),
  id: 'searchTokens',
  path: '/search',
  summary: 'Tokens by name, symbol, address or pool',
  query: SearchQuery,
  answer: SearchAnswer,
})
export class SearchRoute implements RouteHandler<object, SearchQuery> {
  constructor(private readonly lists: MarketLists) {}

  handle({ query }: RouteInput<object, SearchQuery>): Promise<Answer> {
    return this.lists.search(query);
  }
}
