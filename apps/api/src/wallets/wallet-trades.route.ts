import { fromNumber } from '#libs/core/money.js';
import { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import { WalletTradesQuery } from '#libs/serve/contract/rest/queries.js';
import { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { addressParameter, ChainAccess, poolParameter } from '../access/chain-access.js';
import { Pages, type TradePlace } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { checkRange } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { baseTradeRows } from '../trades/trade-rows.js';

@Route({
  ...marketRoute('read', unknownChain),
  id: 'getWalletTrades',
  path: '/wallets/:chain/:address/trades',
  summary: 'Trades of a wallet, newest first',
  description:
    'Swaps of transactions that the wallet sent, each once, from the view of its base token: the one of the higher price level. The first page starts just below `to`; the page that reaches `from` has `next` null. A cursor pins its view: blocks that arrive and blocks that are retracted meanwhile neither lose nor repeat a row.',
  parameters: WalletPath,
  query: WalletTradesQuery,
  answer: TradesAnswer,
})
export class WalletTradesRoute implements RouteHandler<WalletPath, WalletTradesQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
  ) {}

  handle({ path, query: given }: RouteInput<WalletPath, WalletTradesQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const wallet = addressParameter(reader, 'address', path.address);
    const { cursor, limit, ...query } = given;
    checkRange(query);
    const pool = query.pool === undefined ? undefined : poolParameter(reader, 'pool', query.pool);
    const scope = scopeOf(`wallet-trades:${reader.chain.slug}`, wallet, { ...query, pool });
    const asked = { scope, cursor, limit, asOfBlock: query.asOfBlock };
    return this.pages.answer<TradePlace>(reader, asked, 2, async ({ place, view, cursorAt }): Promise<TradesAnswer> => {
      const before = place && { block: place[0], ordinal: place[1] };
      const { from: fromTime, to: toTime, side } = query;
      const minUsd = query.minUsd === undefined ? undefined : fromNumber(query.minUsd, 18);
      const { trades, more } = await readTrades(view, { wallet, pool, side, minUsd, fromTime, toTime, before, limit });
      const last = trades[trades.length - 1];
      return {
        data: await baseTradeRows(view, trades),
        next: more && last ? cursorAt([last.block, last.ordinal]) : null,
        meta: metaOf(view),
      };
    });
  }
}
