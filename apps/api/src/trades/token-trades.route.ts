import { fromNumber } from '#libs/core/money.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TradesQuery } from '#libs/serve/contract/rest/queries.js';
import { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { poolAt } from '#libs/serve/reader/primary-pool.js';
import { readTrades, type TradesPage } from '#libs/serve/reader/read-trades.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { addressParameter, ChainAccess, poolFilterOf } from '../access/chain-access.js';
import { Pages, type TradePlace } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { checkRange, mustKnow, tokenSubject } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { tradeRows } from './trade-rows.js';

const NO_TRADES: TradesPage = { trades: [], more: false };

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getTokenTrades',
  path: '/tokens/:chain/:address/trades',
  summary: 'Trades of a token, newest first',
  description:
    'The first page starts just below `to`; the page that reaches `from` has `next` null. A cursor pins its view: blocks that arrive and blocks that are retracted meanwhile neither lose nor repeat a row.',
  parameters: TokenPath,
  query: TradesQuery,
  answer: TradesAnswer,
})
export class TokenTradesRoute implements RouteHandler<TokenPath, TradesQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
  ) {}

  handle({ path, query: given }: RouteInput<TokenPath, TradesQuery>): Promise<Answer> {
    const subject = tokenSubject(this.access, path);
    const { reader, token } = subject;
    const { cursor, limit, ...query } = given;
    checkRange(query);
    const named = poolFilterOf(reader, query.pool);
    const wallet = query.wallet === undefined ? undefined : addressParameter(reader, 'wallet', query.wallet);
    const scope = scopeOf(`trades:${reader.chain.slug}`, token, { ...query, pool: named, wallet });
    const asked = { scope, cursor, limit, asOfBlock: query.asOfBlock };
    return this.pages.answer<TradePlace>(reader, asked, 2, async ({ place, view, cursorAt }): Promise<TradesAnswer> => {
      const before = place && { block: place[0], ordinal: place[1] };
      const { from: fromTime, to: toTime, side } = query;
      const minUsd = query.minUsd === undefined ? undefined : fromNumber(query.minUsd, 18);
      const pool = await poolAt(view, token, named);
      const wanted = { token, wallet, side, minUsd, fromTime, toTime, before, limit };
      const { trades, more } = pool === null ? NO_TRADES : await readTrades(view, { ...wanted, pool });
      if (trades.length === 0) await mustKnow(view, subject);
      const last = trades[trades.length - 1];
      return {
        data: await tradeRows(view, token, trades),
        next: more && last ? cursorAt([last.block, last.ordinal]) : null,
        meta: metaOf(view),
      };
    });
  }
}
