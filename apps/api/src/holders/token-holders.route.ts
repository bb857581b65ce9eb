import { HoldersAnswer, HoldersQuery } from '#libs/serve/contract/rest/holder-body.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { type Offset, Pages } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { explainHolders } from '../rows/input-rows.js';
import { holderRows } from './holder-rows.js';

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getTokenHolders',
  path: '/tokens/:chain/:address/holders',
  summary: 'Holders of a token, the largest first',
  description: 'A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: TokenPath,
  query: HoldersQuery,
  answer: HoldersAnswer,
})
export class TokenHoldersRoute implements RouteHandler<TokenPath, HoldersQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
  ) {}

  handle({ path, query }: RouteInput<TokenPath, HoldersQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const { cursor, limit, asOfBlock, explain } = query;
    const { chain } = reader;
    const scope = scopeOf(`holders:${chain.slug}`, token, { asOfBlock });
    const asked = { scope, cursor, limit, asOfBlock, also: explain };
    return this.pages.answer<Offset>(reader, asked, 1, async ({ place, view, cursorAt }): Promise<HoldersAnswer> => {
      const offset = place?.[0] ?? 0;
      const found = await holderRows(view, token, offset, limit);
      if (found === null) throw unknownTokenOf(reader, token);
      const { rows, more, ...counts } = found;
      const next = more ? cursorAt([offset + rows.length]) : null;
      const inputs = explain ? { explain: await explainHolders(view, token) } : {};
      return { data: rows, next, ...counts, ...inputs, meta: metaOf(view) };
    });
  }
}
