import type { FastifyRequest } from 'fastify';
import type { Candle } from '#libs/pipeline/fold/candles.js';
import { UdfHistoryAnswer, UdfHistoryQuery } from '#libs/serve/contract/rest/udf-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { readCandles } from '#libs/serve/reader/read-candles.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { AnswerCache } from '../access/answer-cache.js';
import { ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { priceNumber, volumeNumber } from '../rows/display.js';
import { inUdfTerms, UdfParameters, udfRoute } from './udf-answers.js';
import { intervalOfResolution } from './udf-resolutions.js';
import { barSpan } from './udf-span.js';
import { symbolSubject, unknownSymbol } from './udf-symbol.js';

/** Bars of one answer: the library asks for the rest by itself. */
const MOST_BARS = 5_000;

@Route({
  ...udfRoute,
  id: 'getUdfHistory',
  path: '/udf/history',
  summary: 'Bars of a chart of TradingView',
  description:
    'The candles of the token with `continuous`: each bar opens at the close before it. Bars without any price so far are left out.',
  query: UdfHistoryQuery,
  answer: UdfHistoryAnswer,
  cost: 'read',
})
export class UdfHistoryRoute implements RouteHandler<object, UdfHistoryQuery> {
  private readonly parameters = new UdfParameters(UdfHistoryQuery);

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  handle(_input: object, request: FastifyRequest): Promise<Answer> {
    return inUdfTerms(() => {
      const query = this.parameters.read(request.query);
      const { symbol, resolution, countback } = query;
      const interval = intervalOfResolution(resolution);
      const { fromTime, toTime } = barSpan(query);
      const { reader, token, currency } = symbolSubject(this.access, symbol);
      const view = reader.view();
      const scope = scopeOf(`udf-history:${currency}`, token, { interval, fromTime, toTime, countback });
      return this.cache.answer(view, scope, async (): Promise<UdfHistoryAnswer> => {
        const shared = { token, interval, currency, fill: false, continuous: true } as const;
        const limit = Math.min(countback ?? MOST_BARS, MOST_BARS);
        const { candles } = await readCandles(view, { ...shared, fromTime, toTime, limit });
        const priced = candles.filter(({ close }) => close !== null);
        if (priced.length > 0) return barsOf(priced, currency);
        if (!(await readTokenRecords(view, [token])).has(token)) throw unknownSymbol();
        const before =
          fromTime === undefined ? [] : (await readCandles(view, { ...shared, toTime: fromTime, limit: 1 })).candles;
        const [last] = before.filter(({ close }) => close !== null);
        return { s: 'no_data', ...NO_BARS, ...(last === undefined ? {} : { nextTime: last.time / 1000 }) };
      });
    });
  }
}

const NO_BARS = { t: [], o: [], h: [], l: [], c: [], v: [] };

function barsOf(candles: readonly Candle[], currency: 'usd' | 'native'): UdfHistoryAnswer {
  const prices = (price: (candle: Candle) => bigint | null) => candles.map((candle) => priceNumber(price(candle))!);
  return {
    s: 'ok',
    t: candles.map(({ time }) => time / 1000),
    o: prices(({ open }) => open),
    h: prices(({ high }) => high),
    l: prices(({ low }) => low),
    c: prices(({ close }) => close),
    v: candles.map(({ volumeUsd, volumeCoin }) => volumeNumber(currency === 'usd' ? volumeUsd : volumeCoin)!),
  };
}
