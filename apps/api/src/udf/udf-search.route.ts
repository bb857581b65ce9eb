import type { FastifyRequest } from 'fastify';
import { UdfFoundSymbol, UdfSearchQuery } from '#libs/serve/contract/rest/udf-body.js';
import { exampleOf } from '#libs/serve/contract/schema/schema-components.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import type { ListedToken } from '../market/listed-token.js';
import { MarketLists } from '../market/market-lists.js';
import { symbolOf } from '../rows/display.js';
import { inUdfTerms, UdfParameters, udfRoute } from './udf-answers.js';
import { tickerOf } from './udf-symbol.js';

const field = (description: string) => ({ type: 'string', description });

@Route({
  ...udfRoute,
  id: 'searchUdfSymbols',
  path: '/udf/search',
  summary: 'Symbols for the search of a chart of TradingView',
  description: 'What `/search` finds, in its order.',
  query: UdfSearchQuery,
  answer: {
    mediaType: 'application/json',
    description: 'Best match first.',
    example: [exampleOf(UdfFoundSymbol) as object],
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          symbol: field('What the chart shows.'),
          full_name: field('Chain and symbol.'),
          description: field('Name of the token.'),
          exchange: field('Chain.'),
          ticker: field('What names it in requests.'),
          type: field('Always `crypto`.'),
        },
        required: ['symbol', 'full_name', 'description', 'exchange', 'ticker', 'type'],
      },
    },
  },
  cost: 'list',
})
export class UdfSearchRoute implements RouteHandler<object, UdfSearchQuery> {
  private readonly parameters = new UdfParameters(UdfSearchQuery);

  constructor(private readonly lists: MarketLists) {}

  handle(_input: object, request: FastifyRequest): Promise<Answer> {
    return inUdfTerms(async () => {
      const { query = '', exchange, type, limit } = this.parameters.read(request.query);
      if (type && type !== 'crypto') return Answer.json([]);
      return Answer.json((await this.lists.find(query, exchange || undefined, limit)).map(foundSymbol));
    });
  }
}

function foundSymbol({ market, listed }: ListedToken): UdfFoundSymbol {
  const { chain } = market.view;
  const symbol = symbolOf(chain, listed.token, listed.record) ?? chain.ids.formatAddress(listed.token);
  return {
    symbol,
    full_name: `${chain.slug}:${symbol}`,
    description: listed.record.name ?? symbol,
    exchange: chain.slug,
    ticker: tickerOf(chain, listed.token, 'usd'),
    type: 'crypto',
  };
}
