import { HoldersQuery, HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { addressParameter, ChainAccess } from '../access/chain-access.js';
import { NativeBalances } from '../access/native-balances.js';
import { type Offset, Pages } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { metaOf } from '../rows/display.js';
import { holdingRows, nativeRow } from './holding-rows.js';

@Route({
  ...marketRoute('read', unknownChain),
  id: 'getWalletHoldings',
  path: '/wallets/:chain/:address/holdings',
  summary: 'Tokens that a wallet holds, the most valuable first',
  description: 'A cursor pins its view: blocks that arrive or are retracted meanwhile neither lose nor repeat a row.',
  parameters: WalletPath,
  query: HoldersQuery,
  answer: HoldingsAnswer,
})
export class WalletHoldingsRoute implements RouteHandler<WalletPath, HoldersQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
    private readonly natives: NativeBalances,
  ) {}

  handle({ path, query }: RouteInput<WalletPath, HoldersQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const wallet = addressParameter(reader, 'address', path.address);
    const { cursor, limit, asOfBlock } = query;
    const scope = scopeOf(`holdings:${reader.chain.slug}`, wallet, { asOfBlock });
    const asked = { scope, cursor, limit, asOfBlock };
    return this.pages.answer<Offset>(reader, asked, 1, async ({ place, view, cursorAt }): Promise<HoldingsAnswer> => {
      const offset = place?.[0] ?? 0;
      const [all, native] = await Promise.all([
        holdingRows(view, wallet),
        place === undefined ? nativeRow(view, await this.natives.read(view, wallet, asOfBlock === undefined)) : null,
      ]);
      const end = offset + limit;
      return {
        data: all.slice(offset, end),
        ...(native && { native }),
        next: end < all.length ? cursorAt([end]) : null,
        meta: metaOf(view),
      };
    });
  }
}
