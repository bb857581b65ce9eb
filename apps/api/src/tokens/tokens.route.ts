import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { TokensAnswer, TokensQuery } from '#libs/serve/contract/rest/token-list-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { namedTokens } from '../access/named-tokens.js';
import { scopeOf } from '../access/scope.js';
import { tokenList } from './token-list.js';
import { tokenRow } from './token-row.js';

/** Tokens of one chain that are read at the same time: what is not held of them is asked for together. */
const READ_AT_ONCE = 16;

@Route({
  ...marketRoute('list'),
  id: 'getTokens',
  path: '/tokens',
  summary: 'Everything known of several tokens',
  description: 'Each row is what the route of the token itself answers at the same block.',
  query: TokensQuery,
  answer: TokensAnswer,
})
export class TokensRoute implements RouteHandler<object, TokensQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ query }: RouteInput<object, TokensQuery>): Promise<Answer> {
    const list = await tokenList(namedTokens(this.access, 'ids', query.ids));
    return this.cache.answer(list.views, scopeOf('tokens', list.subject, {}), async (): Promise<TokensAnswer> => {
      const rows = new Map<string, TokenBody>();
      await Promise.all(list.views.map((view) => readRows(view, list.tokensOf(view), rows)));
      return { data: list.inOrder((view, token) => rows.get(keyOf(view, token))), meta: list.meta };
    });
  }
}

const keyOf = ({ chain }: ChainView, token: string): string => `${chain.slug} ${token}`;

async function readRows(view: ChainView, tokens: readonly string[], rows: Map<string, TokenBody>): Promise<void> {
  const waiting = [...tokens];
  const next = async (): Promise<void> => {
    for (let token = waiting.shift(); token !== undefined; token = waiting.shift()) {
      const state = await readToken(view, token);
      if (state !== null) rows.set(keyOf(view, token), tokenRow(view, token, state));
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, next));
}
