import { CursorSigner } from '#libs/core/cursor.js';
import { fromNumber } from '#libs/core/money.js';
import { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import { WalletTradesQuery } from '#libs/serve/contract/rest/queries.js';
import { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';
import { AnswerCache } from '../access/answer-cache.js';
import { badRequestError, unavailable, unknownChain } from '../access/api-errors.js';
import { addressParameter, ChainAccess, poolParameter } from '../access/chain-access.js';
import { PageCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { checkRange, viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { baseTradeRows } from '../trades/trade-rows.js';

@Route({
  id: 'getWalletTrades',
  method: 'GET',
  path: '/wallets/:chain/:address/trades',
  summary: 'Trades of a wallet, newest first',
  description:
    'Swaps of transactions that the wallet sent, each once, from the view of its base token: the one of the higher price level. The first page starts just below `to`; the page that reaches `from` has `next` null. A cursor pins its view: blocks that arrive and blocks that are retracted meanwhile neither lose nor repeat a row.',
  parameters: WalletPath,
  query: WalletTradesQuery,
  answer: TradesAnswer,
  errors: [badRequestError, unknownChain, unavailable],
  access: 'keyed',
  cost: 'read',
  cache: 'revalidate',
})
export class WalletTradesRoute implements RouteHandler<WalletPath, WalletTradesQuery> {
  private readonly cursors: PageCursors<readonly [block: number, ordinal: number]>;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
  ) {
    this.cursors = new PageCursors(signer, 2);
  }

  async handle({ path, query: given }: RouteInput<WalletPath, WalletTradesQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const wallet = addressParameter(reader, 'address', path.address);
    const { cursor, limit, ...query } = given;
    checkRange(query);
    const pool = query.pool === undefined ? undefined : poolParameter(reader, 'pool', query.pool);
    const scope = scopeOf(`wallet-trades:${reader.chain.slug}`, wallet, { ...query, pool });
    const opened = cursor === undefined ? undefined : this.cursors.open(scope, cursor);
    const view = await viewFor(reader, opened?.pin, query.asOfBlock);
    return this.cache.answer(view, `${scope}|${limit}|${opened?.place ?? ''}`, async (): Promise<TradesAnswer> => {
      const before = opened && { block: opened.place[0], ordinal: opened.place[1] };
      const { from: fromTime, to: toTime, side } = query;
      const minUsd = query.minUsd === undefined ? undefined : fromNumber(query.minUsd, 18);
      const { trades, more } = await readTrades(view, { wallet, pool, side, minUsd, fromTime, toTime, before, limit });
      const last = trades[trades.length - 1];
      return {
        data: await baseTradeRows(view, trades),
        next: more && last ? this.cursors.seal(scope, view.pin, [last.block, last.ordinal]) : null,
        meta: metaOf(view),
      };
    });
  }
}
