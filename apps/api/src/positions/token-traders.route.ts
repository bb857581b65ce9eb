import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TradersAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { TradersQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { type Offset, Pages } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { traderRows } from './trader-rows.js';

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getTokenTraders',
  path: '/tokens/:chain/:address/traders',
  summary: 'Who traded a token, the largest realised profit first',
  description:
    'Everyone whose trade of the token is in the log, those with a loss last; the fields are those of a position. A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: TokenPath,
  query: TradersQuery,
  answer: TradersAnswer,
})
export class TokenTradersRoute implements RouteHandler<TokenPath, TradersQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
  ) {}

  handle({ path, query: { cursor, limit } }: RouteInput<TokenPath, TradersQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const scope = scopeOf(`traders:${reader.chain.slug}`, token, {});
    const asked = { scope, cursor, limit };
    return this.pages.answer<Offset>(reader, asked, 1, async ({ place, view, cursorAt }): Promise<TradersAnswer> => {
      const offset = place?.[0] ?? 0;
      const found = await traderRows(view, token, offset, limit);
      if (found === null) throw unknownTokenOf(reader, token);
      const { rows, more } = found;
      return { data: rows, next: more ? cursorAt([offset + rows.length]) : null, meta: metaOf(view) };
    });
  }
}
