import { CursorSigner } from '#libs/core/cursor.js';
import { HoldersQuery, HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AnswerCache } from '../access/answer-cache.js';
import { badRequestError, unavailable, unknownChain } from '../access/api-errors.js';
import { addressParameter, ChainAccess } from '../access/chain-access.js';
import { NativeBalances } from '../access/native-balances.js';
import { PageCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { holdingRows, nativeRow } from './holding-rows.js';

@Route({
  id: 'getWalletHoldings',
  method: 'GET',
  path: '/wallets/:chain/:address/holdings',
  summary: 'Tokens that a wallet holds, the most valuable first',
  description: 'A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: WalletPath,
  query: HoldersQuery,
  answer: HoldingsAnswer,
  errors: [badRequestError, unknownChain, unavailable],
  access: 'keyed',
  cost: 'read',
  cache: 'revalidate',
})
export class WalletHoldingsRoute implements RouteHandler<WalletPath, HoldersQuery> {
  private readonly cursors: PageCursors<readonly [offset: number]>;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    private readonly natives: NativeBalances,
    signer: CursorSigner,
  ) {
    this.cursors = new PageCursors(signer, 1);
  }

  async handle({ path, query }: RouteInput<WalletPath, HoldersQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const wallet = addressParameter(reader, 'address', path.address);
    const { cursor, limit, asOfBlock } = query;
    const scope = scopeOf(`holdings:${reader.chain.slug}`, wallet, { asOfBlock });
    const opened = cursor === undefined ? undefined : this.cursors.open(scope, cursor);
    const offset = opened?.place[0] ?? 0;
    const view = await viewFor(reader, opened?.pin, asOfBlock);
    return this.cache.answer(view, `${scope}|${limit}|${offset}`, async (): Promise<HoldingsAnswer> => {
      const [all, native] = await Promise.all([
        holdingRows(view, wallet),
        opened === undefined ? nativeRow(view, await this.natives.read(view, wallet, asOfBlock === undefined)) : null,
      ]);
      const end = offset + limit;
      return {
        data: all.slice(offset, end),
        ...(native && { native }),
        next: end < all.length ? this.cursors.seal(scope, view.pin, [end]) : null,
        meta: metaOf(view),
      };
    });
  }
}
