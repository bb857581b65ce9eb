import type { FastifyRequest } from 'fastify';
import { UdfSymbol, UdfSymbolQuery } from '#libs/serve/contract/rest/udf-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { readTokenPrices } from '#libs/serve/reader/read-token-prices.js';
import { AnswerCache } from '../access/answer-cache.js';
import { ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { symbolOf } from '../rows/display.js';
import { inUdfTerms, UdfParameters, udfRoute } from './udf-answers.js';
import { multipliers, resolutions } from './udf-resolutions.js';
import { priceScale, symbolSubject, tickerOf, unknownSymbol } from './udf-symbol.js';

@Route({
  ...udfRoute,
  id: 'getUdfSymbol',
  path: '/udf/symbols',
  summary: 'One symbol of a chart of TradingView',
  query: UdfSymbolQuery,
  answer: UdfSymbol,
  cost: 'read',
})
export class UdfSymbolsRoute implements RouteHandler<object, UdfSymbolQuery> {
  private readonly parameters = new UdfParameters(UdfSymbolQuery);

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  handle(_input: object, request: FastifyRequest): Promise<Answer> {
    return inUdfTerms(() => {
      const { symbol } = this.parameters.read(request.query);
      const { reader, token, currency } = symbolSubject(this.access, symbol);
      const view = reader.view();
      const { chain } = view;
      return this.cache.answer(view, scopeOf('udf-symbol', token, { currency }), async (): Promise<UdfSymbol> => {
        const record = (await readTokenRecords(view, [token])).get(token);
        if (record === undefined) throw unknownSymbol();
        const price = (await readTokenPrices(view, [token])).get(token);
        const ticker = tickerOf(chain, token, currency);
        const coin = chain.nativeCurrency.symbol;
        const name = symbolOf(chain, token, record) ?? chain.ids.formatAddress(token);
        return {
          name: currency === 'usd' ? name : `${name}/${coin}`,
          ticker,
          description: record.name ?? ticker,
          ...{ type: 'crypto', session: '24x7', timezone: 'Etc/UTC', format: 'price', minmov: 1 },
          ...{ exchange: chain.slug, listed_exchange: chain.slug },
          pricescale: priceScale((currency === 'usd' ? price?.priceUsd : price?.priceCoin) ?? null),
          ...{ has_intraday: true, has_seconds: true, has_daily: true, has_weekly_and_monthly: true },
          seconds_multipliers: [...multipliers.seconds],
          intraday_multipliers: [...multipliers.minutes],
          daily_multipliers: [...multipliers.days],
          supported_resolutions: [...resolutions],
          volume_precision: 2,
          currency_code: currency === 'usd' ? 'USD' : coin,
          data_status: 'streaming',
        };
      });
    });
  }
}
