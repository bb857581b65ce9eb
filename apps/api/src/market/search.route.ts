import type { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/http/declared-route.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { SearchQuery } from '#libs/protocol/rest/market-queries.js';
import { SearchAnswer } from '#libs/protocol/rest/search-body.js';
import { badRequest, unavailable, unknownChain } from '../access/api-errors.js';
import { MarketLists } from './market-lists.js';

const declaration = declareRoute({
  id: 'searchTokens',
  method: 'GET',
  path: '/search',
  summary: 'Tokens by name, symbol, address or pool',
  query: SearchQuery,
  answer: SearchAnswer,
  errors: [badRequest, unknownChain, unavailable],
  access: 'keyed',
  cost: 'list',
  cache: 'revalidate',
});

@Route(declaration)
export class SearchRoute implements RouteHandler<object, SearchQuery> {
  constructor(private readonly lists: MarketLists) {}

  handle({ query }: RouteInput<object, SearchQuery>): Promise<Answer> {
    return this.lists.search(query);
  }
}
