import { CursorSigner } from '#libs/core/cursor.js';
import { HoldersAnswer, HoldersQuery } from '#libs/serve/contract/rest/holder-body.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AnswerCache } from '../access/answer-cache.js';
import { badRequestError, unavailable, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { PageCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf, viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { explainHolders } from '../rows/input-rows.js';
import { holderRows } from './holder-rows.js';

@Route({
  id: 'getTokenHolders',
  method: 'GET',
  path: '/tokens/:chain/:address/holders',
  summary: 'Holders of a token, the largest first',
  description: 'A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: TokenPath,
  query: HoldersQuery,
  answer: HoldersAnswer,
  errors: [badRequestError, unknownToken, unavailable],
  access: 'keyed',
  cost: 'read',
  cache: 'revalidate',
})
export class TokenHoldersRoute implements RouteHandler<TokenPath, HoldersQuery> {
  private readonly cursors: PageCursors<readonly [offset: number]>;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
  ) {
    this.cursors = new PageCursors(signer, 1);
  }

  async handle({ path, query }: RouteInput<TokenPath, HoldersQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const { cursor, limit, asOfBlock, explain } = query;
    const { chain } = reader;
    const scope = scopeOf(`holders:${chain.slug}`, token, { asOfBlock });
    const opened = cursor === undefined ? undefined : this.cursors.open(scope, cursor);
    const offset = opened?.place[0] ?? 0;
    const view = await viewFor(reader, opened?.pin, asOfBlock);
    return this.cache.answer(view, `${scope}|${limit}|${offset}|${explain}`, async (): Promise<HoldersAnswer> => {
      const found = await holderRows(view, token, offset, limit);
      if (found === null) throw unknownTokenOf(reader, token);
      const { rows, more, ...counts } = found;
      const next = more ? this.cursors.seal(scope, view.pin, [offset + rows.length]) : null;
      const inputs = explain ? { explain: await explainHolders(view, token) } : {};
      return { data: rows, next, ...counts, ...inputs, meta: metaOf(view) };
    });
  }
}
