import { PricesAnswer, PricesQuery } from '#libs/serve/contract/rest/token-list-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { namedTokens } from '../access/named-tokens.js';
import { scopeOf } from '../access/scope.js';
import { priceRows } from './price-rows.js';
import { tokenList } from './token-list.js';

@Route({
  ...marketRoute('read'),
  id: 'getPrices',
  path: '/prices',
  summary: 'Prices of several tokens',
  query: PricesQuery,
  answer: PricesAnswer,
})
export class PricesRoute implements RouteHandler<object, PricesQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ query }: RouteInput<object, PricesQuery>): Promise<Answer> {
    const { asOfBlock } = query;
    const list = await tokenList(namedTokens(this.access, 'tokens', query.tokens), asOfBlock);
    const scope = scopeOf('prices', list.subject, { asOfBlock });
    return this.cache.answer(list.views, scope, async (): Promise<PricesAnswer> => {
      const rows = new Map(
        await Promise.all(list.views.map(async (view) => [view, await priceRows(view, list.tokensOf(view))] as const)),
      );
      const data = list.inOrder((view, token) => rows.get(view)!.get(token));
      return { data, meta: list.meta };
    });
  }
}
