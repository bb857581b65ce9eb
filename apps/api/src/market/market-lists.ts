import { Inject, Injectable } from '@nestjs/common';
import { CursorSigner } from '#libs/core/cursor.js';
import type { Answer } from '#libs/http/answer.js';
import type { HttpLogger } from '#libs/http/listener.js';
import { badRequest, notFound, upstreamUnavailable } from '#libs/http/problem.js';
import {
  type BoardAnswer,
  type BoardName,
  type BoardQuery,
  type BoardRow,
  boardNames,
} from '#libs/protocol/rest/launchpad-body.js';
import type { ScreenerQuery, SearchQuery, TrendingQuery } from '#libs/protocol/rest/market-queries.js';
import type { ScreenerAnswer, ScreenerRow, TrendingAnswer } from '#libs/protocol/rest/screener-body.js';
import type { SearchAnswer } from '#libs/protocol/rest/search-body.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import type { ChainView, Pin } from '#libs/reader/chain-view.js';
import type { Market } from '#libs/reader/read-market.js';
import type { StatsWindowName } from '#libs/reader/read-stats.js';
import { ChainUnavailableError, StaleViewError } from '#libs/reader/unavailable.js';
import { AnswerCache } from '../access/answer-cache.js';
import { LOGGER } from '../access/api-deps.js';
import { ChainAccess } from '../access/chain-access.js';
import { MarketCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { metaOf } from '../rows/display.js';
import { searchRow } from '../rows/search-row.js';
import { boardRow, boardTokens } from './boards.js';
import { ListedToken } from './listed-token.js';
import { MarketCache } from './market-cache.js';
import { mustBeIndexed, mustBeMeasured } from './measured.js';
import { bounds, boundsOf, filterTokens, type Screen, sortTokens } from './screen-tokens.js';
import { searchTokens } from './search-tokens.js';
import { trendingTokens } from './trending-tokens.js';

const MOST_SEARCHED = 128;
/** Markets whose orders are kept: a page after the first, or with other bounds, need not sort again. */
const VIEWS_KEPT = 3;

/**
 * The routes over many tokens. Every page of a list is read from the markets that its first page was read from; which
 * those are stands in `meta` and, for the next page, in the cursor.
 */
@Injectable()
export class MarketLists {
  private readonly cursors: MarketCursors;
  private readonly caches = new Map<ChainReader, MarketCache>();
  /** By the views that were ordered, then by the order. */
  private readonly orders = new Map<string, Map<string, ListedToken[]>>();

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {
    this.cursors = new MarketCursors(signer);
  }

  async screener({ cursor, chain, limit, ...query }: ScreenerQuery): Promise<Answer> {
    for (const bound of bounds) {
      const { min, max } = boundsOf(query, bound);
      const name = bound.charAt(0).toUpperCase() + bound.slice(1);
      if (min !== undefined && max !== undefined && min > max)
        throw badRequest(`min${name} must not be above max${name}`);
    }
    const readers = this.readers(chain);
    const creator = query.creator === undefined ? undefined : walletOf(readers, query.creator);
    const wanted = { ...query, creator };
    const scope = scopeOf('screener', slugOf(chain, readers), wanted);
    const page = await this.page(scope, readers, cursor);
    mustBeMeasured(page.markets, wanted);
    return this.cache.answer(page.views, `${scope}|${limit}|${page.offset}`, async (): Promise<ScreenerAnswer> => {
      const tokens = filterTokens(this.ordered(page.markets, wanted), wanted);
      return this.cut(scope, page, tokens, limit, (token) => token.screenerRow(query.window as StatsWindowName));
    });
  }

  async trending({ cursor, chain, limit, window }: TrendingQuery): Promise<Answer> {
    const readers = this.readers(chain);
    const scope = scopeOf('trending', slugOf(chain, readers), { window });
    const page = await this.page(scope, readers, cursor);
    return this.cache.answer(page.views, `${scope}|${limit}|${page.offset}`, async (): Promise<TrendingAnswer> => {
      const tokens = trendingTokens(page.markets, window as StatsWindowName);
      return this.cut(scope, page, tokens, limit, (token) => token.screenerRow(window as StatsWindowName));
    });
  }

  /** The first page of a chain's trending list: at a view, or of a moment ago as the route has it. */
  async trendingRows(
    reader: ChainReader,
    window: StatsWindowName,
    limit: number,
    view?: ChainView,
  ): Promise<{ view: ChainView; rows: ScreenerRow[] }> {
    const cache = this.cacheOf(reader);
    const market = await (view === undefined ? cache.current() : cache.at(view.pin));
    const tokens = trendingTokens([market], window).slice(0, limit);
    return { view: market.view, rows: tokens.map((token) => token.screenerRow(window)) };
  }

  /** The first page of a chain's board: at a view, or of a moment ago. */
  async boardRows(
    reader: ChainReader,
    board: BoardName,
    limit: number,
    view?: ChainView,
  ): Promise<{ view: ChainView; rows: BoardRow[] }> {
    const cache = this.cacheOf(reader);
    const market = await (view === undefined ? cache.current() : cache.at(view.pin));
    const tokens = boardTokens(listedIn([market]), board, undefined).slice(0, limit);
    return { view: market.view, rows: tokens.map(boardRow) };
  }

  async search({ cursor, chain, q, query, search, limit }: SearchQuery): Promise<Answer> {
    const text = (q ?? query ?? search)?.trim();
    if (text === undefined) throw badRequest('q is required: the text looked for, 1 to 128 characters');
    if (text === '' || text.length > MOST_SEARCHED) {
      throw badRequest('q must have 1 to 128 characters, spaces around them not counted');
    }
    const readers = this.readers(chain);
    const scope = scopeOf('search', slugOf(chain, readers), { text });
    const page = await this.page(scope, readers, cursor);
    return this.cache.answer(page.views, `${scope}|${limit}|${page.offset}`, async (): Promise<SearchAnswer> => {
      const tokens = searchTokens(page.markets, text);
      return this.cut(scope, page, tokens, limit, ({ market, listed }) => searchRow(market.view, listed.token, listed));
    });
  }

  /** The best matches of a text, or the deepest tokens for an empty one. */
  async find(text: string, chain: string | undefined, limit: number): Promise<ListedToken[]> {
    const markets = await this.current(this.readers(chain));
    const needle = text.trim().slice(0, MOST_SEARCHED);
    if (needle !== '') return searchTokens(markets, needle).slice(0, limit);
    const deepest = { sort: 'liquidity', order: 'desc', window: '24h' };
    return this.ordered(markets, deepest).slice(0, limit);
  }

  async board(name: string, { cursor, chain, launchpad, limit }: BoardQuery): Promise<Answer> {
    const board = boardNames.find((known) => known === name);
    if (board === undefined) throw notFound(`no board is called ${name}: the boards are new, graduating and graduated`);
    const readers = this.readers(chain);
    const scope = scopeOf(`launchpad-${board}`, slugOf(chain, readers), { launchpad });
    const page = await this.page(scope, readers, cursor);
    mustBeIndexed(page.markets, launchpad);
    return this.cache.answer(page.views, `${scope}|${limit}|${page.offset}`, async (): Promise<BoardAnswer> => {
      return this.cut(scope, page, boardTokens(listedIn(page.markets), board, launchpad), limit, boardRow);
    });
  }

  /** The market of one chain, of a moment ago or at a pinned view, for lists in another shape. */
  market(reader: ChainReader, pin?: Pin): Promise<Market> {
    return pin === undefined ? this.cacheOf(reader).current() : this.cacheOf(reader).at(pin);
  }

  /** Chains of the request: the one it names, else every one of this instance. */
  private readers(chain: string | undefined): ChainReader[] {
    return chain === undefined ? this.access.all() : [this.access.reader(chain)];
  }

  /** The markets of this page: those the cursor names, else those of now that can be served. */
  private async page(scope: string, readers: readonly ChainReader[], cursor: string | undefined): Promise<Page> {
    if (cursor === undefined) return pageOf(await this.current(readers), 0);
    const { pins, offset } = this.cursors.open(scope, cursor);
    const markets = [...pins].map(([slug, pin]) => {
      const reader = this.access.find(slug);
      if (reader === null) throw new StaleViewError(`chain ${slug} is not served any more`);
      return this.cacheOf(reader).at(pin);
    });
    return pageOf(await Promise.all(markets), offset);
  }

  private async current(readers: readonly ChainReader[]): Promise<Market[]> {
    const outcomes = await Promise.allSettled(readers.map((reader) => this.cacheOf(reader).current()));
    const markets = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // A chain that cannot be served now is left out of a list over all chains, and `meta` shows it.
    const other = failures.find((failure) => !(failure instanceof ChainUnavailableError));
    if (other !== undefined || (markets.length === 0 && failures.length > 0)) throw other ?? failures[0];
    if (markets.length === 0) throw upstreamUnavailable('no chain is configured');
    return markets;
  }

  private cacheOf(reader: ChainReader): MarketCache {
    let known = this.caches.get(reader);
    if (known === undefined) {
      known = new MarketCache(reader, this.logger);
      this.caches.set(reader, known);
    }
    return known;
  }

  private ordered(markets: readonly Market[], query: Screen): ListedToken[] {
    const views = markets.map(({ view: { chain, pin } }) => `${chain.slug}.${pin.epoch}.${pin.generation}.${pin.seq}`);
    const orders = this.ordersOf(views.join('|'));
    const key = `${query.sort}|${query.order}|${query.window}`;
    let tokens = orders.get(key);
    if (tokens === undefined) {
      tokens = sortTokens([...listedIn(markets)], query);
      orders.set(key, tokens);
    }
    return tokens;
  }

  private ordersOf(views: string): Map<string, ListedToken[]> {
    const orders = this.orders.get(views) ?? new Map<string, ListedToken[]>();
    this.orders.delete(views);
    this.orders.set(views, orders);
    for (const oldest of this.orders.keys()) {
      if (this.orders.size <= VIEWS_KEPT) break;
      this.orders.delete(oldest);
    }
    return orders;
  }

  private cut<Row>(
    scope: string,
    { markets, offset }: Page,
    tokens: readonly ListedToken[],
    limit: number,
    row: (token: ListedToken) => Row,
  ) {
    const end = offset + limit;
    const pins = new Map(markets.map(({ view }) => [view.chain.slug, view.pin]));
    return {
      data: tokens.slice(offset, end).map(row),
      next: end < tokens.length ? this.cursors.seal(scope, pins, end) : null,
      meta: { chains: Object.fromEntries(markets.map(({ view }) => [view.chain.slug, metaOf(view)])) },
    };
  }
}

function* listedIn(markets: readonly Market[]): Generator<ListedToken> {
  for (const market of markets) for (const listed of market.tokens.values()) yield new ListedToken(market, listed);
}

interface Page {
  markets: Market[];
  views: Market['view'][];
  offset: number;
}

const pageOf = (markets: Market[], offset: number): Page => ({
  ...{ markets, offset },
  views: markets.map(({ view }) => view),
});

const slugOf = (chain: string | undefined, readers: readonly ChainReader[]): string =>
  chain === undefined ? '*' : readers[0]!.chain.slug;

/** Id of a wallet of one of the chains asked for. */
function walletOf(readers: readonly ChainReader[], text: string): string {
  for (const reader of readers) {
    const id = reader.chain.ids.parseAddress(text);
    if (id !== null) return id;
  }
  const chains = readers.map((reader) => reader.chain.slug).join(', ');
  throw badRequest(`creator must be an address of ${chains || 'a chain of this instance'}`);
}
