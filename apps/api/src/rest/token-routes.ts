import type { FastifyRequest } from 'fastify';
import type { CursorSealer } from '#libs/core/cursor.js';
import type { Hex } from '#libs/core/ids.js';
import { isInterval } from '#libs/fold/candles.js';
import type { Answer } from '#libs/http/answer.js';
import { badRequest, notFound } from '#libs/http/problem.js';
import type { CandlesAnswer } from '#libs/protocol/rest/candle-body.js';
import { CandlesQuery, TokenQuery, TradesQuery } from '#libs/protocol/rest/queries.js';
import { QueryReader } from '#libs/protocol/rest/query-reader.js';
import type { TokenAnswer } from '#libs/protocol/rest/token-body.js';
import type { TradesAnswer } from '#libs/protocol/rest/trade-body.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import { asOfBlock, type ChainView } from '#libs/reader/chain-view.js';
import { readCandles } from '#libs/reader/read-candles.js';
import { readTokenRecords } from '#libs/reader/read-prices.js';
import { readToken } from '#libs/reader/read-token.js';
import { readTrades } from '#libs/reader/read-trades.js';
import type { AnswerCache } from './answer-cache.js';
import { candleRow } from './candle-rows.js';
import { addressOf, type ChainAccess } from './chain-access.js';
import { metaOf } from './display.js';
import { PageCursors } from './page-cursor.js';
import { readQuery, scopeOf } from './request.js';
import { tokenRow } from './token-row.js';
import { tradeRows } from './trade-rows.js';

/**
 * The routes of one token. Parameters are checked before anything is read (400), then a view is taken (503), then the
 * answer is computed from that one view.
 */
export class TokenRoutes {
  private readonly tokenQuery = new QueryReader(TokenQuery);
  private readonly tradesQuery = new QueryReader(TradesQuery);
  private readonly candlesQuery = new QueryReader(CandlesQuery);
  private readonly tradeCursors: PageCursors<readonly [block: number, ordinal: number]>;
  private readonly candleCursors: PageCursors<readonly [to: number]>;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    sealer: CursorSealer,
  ) {
    this.tradeCursors = new PageCursors(sealer, 2);
    this.candleCursors = new PageCursors(sealer, 1);
  }

  async token(request: FastifyRequest): Promise<Answer> {
    const { reader, token } = this.subject(request);
    const query = readQuery(this.tokenQuery, request);
    const view = await viewFor(reader, undefined, query.asOfBlock);
    return this.cache.answer(view, scopeOf('token', token, query), async (): Promise<TokenAnswer> => {
      const state = await readToken(view, token);
      if (state === null) throw unknownToken(reader, token);
      return { data: tokenRow(view, token, state), meta: metaOf(view) };
    });
  }

  async trades(request: FastifyRequest): Promise<Answer> {
    const { reader, token } = this.subject(request);
    const { cursor, ...query } = readQuery(this.tradesQuery, request);
    checkRange(query);
    const pool = query.pool === undefined ? undefined : addressOf(reader, 'pool', query.pool);
    const wallet = query.wallet === undefined ? undefined : addressOf(reader, 'wallet', query.wallet);
    const scope = scopeOf(`trades:${reader.chain.slug}`, token, { ...query, pool, wallet });
    const opened = cursor === undefined ? undefined : this.tradeCursors.open(scope, cursor);
    const view = await viewFor(reader, opened?.pin, query.asOfBlock);
    return this.cache.answer(view, `${scope}|${opened?.place ?? ''}`, async (): Promise<TradesAnswer> => {
      const before = opened && { block: opened.place[0], ordinal: opened.place[1] };
      const { from: fromTime, to: toTime, limit } = query;
      const { trades, more } = await readTrades(view, { token, pool, wallet, fromTime, toTime, before, limit });
      if (trades.length === 0) await mustKnow(view, reader, token);
      const last = trades[trades.length - 1];
      return {
        data: await tradeRows(view, token, trades),
        next: more && last ? this.tradeCursors.seal(scope, view.pin, [last.block, last.ordinal]) : null,
        meta: metaOf(view),
      };
    });
  }

  async candles(request: FastifyRequest): Promise<Answer> {
    const { reader, token } = this.subject(request);
    const { cursor, ...query } = readQuery(this.candlesQuery, request);
    checkRange(query);
    const { interval, currency, fill, continuous, limit } = query;
    if (!isInterval(interval)) throw badRequest(`interval ${interval} is not known`);
    const pool = query.pool === undefined ? undefined : addressOf(reader, 'pool', query.pool);
    const scope = scopeOf(`candles:${reader.chain.slug}`, token, { ...query, pool });
    const opened = cursor === undefined ? undefined : this.candleCursors.open(scope, cursor);
    const view = await viewFor(reader, opened?.pin, query.asOfBlock);
    return this.cache.answer(view, `${scope}|${opened?.place ?? ''}`, async (): Promise<CandlesAnswer> => {
      const [fromTime, toTime] = [query.from, opened?.place[0] ?? query.to];
      const wanted = { token, pool, interval, fromTime, toTime, limit, currency, fill, continuous };
      const { candles, nextTo } = await readCandles(view, wanted);
      if (candles.length === 0) await mustKnow(view, reader, token);
      return {
        data: candles.map(candleRow),
        next: nextTo === null ? null : this.candleCursors.seal(scope, view.pin, [nextTo]),
        meta: metaOf(view),
      };
    });
  }

  private subject(request: FastifyRequest): { reader: ChainReader; token: Hex } {
    const { chain, address } = request.params as { chain: string; address: string };
    const reader = this.access.reader(chain);
    return { reader, token: addressOf(reader, 'address', address) };
  }
}

function checkRange({ from, to }: { from?: number; to?: number }): void {
  if (from !== undefined && to !== undefined && from >= to) throw badRequest('from must be before to');
}

async function viewFor(reader: ChainReader, pin: ChainView['pin'] | undefined, height?: number): Promise<ChainView> {
  const view = reader.view(pin);
  return height === undefined ? view : asOfBlock(view, height);
}

/** An empty list of a token that nobody knows is a 404, not an empty page. */
async function mustKnow(view: ChainView, reader: ChainReader, token: Hex): Promise<void> {
  if (!(await readTokenRecords(view, [token])).has(token)) throw unknownToken(reader, token);
}

const unknownToken = (reader: ChainReader, token: Hex) =>
  notFound(`token ${reader.chain.ids.formatAddress(token)} is not known on ${reader.chain.slug}`);
