import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TokenQuery } from '#libs/serve/contract/rest/queries.js';
import { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf, viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { tokenInputs } from '../rows/input-rows.js';
import { tokenRow } from './token-row.js';

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getToken',
  path: '/tokens/:chain/:address',
  summary: 'Everything known of a token',
  parameters: TokenPath,
  query: TokenQuery,
  answer: TokenAnswer,
})
export class TokenRoute implements RouteHandler<TokenPath, TokenQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ path, query }: RouteInput<TokenPath, TokenQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const view = await viewFor(reader, undefined, query.asOfBlock);
    return this.cache.answer(view, scopeOf('token', token, query), async (): Promise<TokenAnswer> => {
      const state = await readToken(view, token);
      if (state === null) throw unknownTokenOf(reader, token);
      if (reader.chain.family === 'evm') view.about.askSafety(token);
      const row = tokenRow(view, token, state);
      const explain = query.explain ? { explain: await tokenInputs(view, token, state.record.decimals) } : {};
      return { data: { ...row, ...explain }, meta: metaOf(view) };
    });
  }
}
