import { CursorSigner } from '#libs/core/cursor.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TradersAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { TradersQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AnswerCache } from '../access/answer-cache.js';
import { badRequestError, unavailable, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { PageCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf, viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { traderRows } from './trader-rows.js';

@Route({
  id: 'getTokenTraders',
  method: 'GET',
  path: '/tokens/:chain/:address/traders',
  summary: 'Who traded a token, the largest realised profit first',
  description:
    'Everyone whose trade of the token is in the log, those with a loss last; the fields are those of a position. A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: TokenPath,
  query: TradersQuery,
  answer: TradersAnswer,
  errors: [badRequestError, unknownToken, unavailable],
  access: 'keyed',
  cost: 'read',
  cache: 'revalidate',
})
export class TokenTradersRoute implements RouteHandler<TokenPath, TradersQuery> {
  private readonly cursors: PageCursors<readonly [offset: number]>;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
  ) {
    this.cursors = new PageCursors(signer, 1);
  }

  async handle({ path, query: { cursor, limit } }: RouteInput<TokenPath, TradersQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const scope = scopeOf(`traders:${reader.chain.slug}`, token, {});
    const opened = cursor === undefined ? undefined : this.cursors.open(scope, cursor);
    const offset = opened?.place[0] ?? 0;
    const view = await viewFor(reader, opened?.pin);
    return this.cache.answer(view, `${scope}|${limit}|${offset}`, async (): Promise<TradersAnswer> => {
      const found = await traderRows(view, token, offset, limit);
      if (found === null) throw unknownTokenOf(reader, token);
      const { rows, more } = found;
      return {
        data: rows,
        next: more ? this.cursors.seal(scope, view.pin, [offset + rows.length]) : null,
        meta: metaOf(view),
      };
    });
  }
}
