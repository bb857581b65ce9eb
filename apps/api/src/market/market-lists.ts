import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { LOGGER } from '#libs/app/modules/tokens.js';
import { CursorSigner } from '#libs/core/cursor.js';
import { type BoardQuery, boardNames } from '#libs/serve/contract/rest/launchpad-body.js';
import type { ScreenerQuery, SearchQuery, TrendingQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { SearchRow } from '#libs/serve/contract/rest/search-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { badRequest, notFound } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView, Pin } from '#libs/serve/reader/chain-view.js';
import { roundUp } from '#libs/serve/reader/hot/page-length.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { AnswerCache } from '../access/answer-cache.js';
import { ChainAccess } from '../access/chain-access.js';
import { MarketCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { ofServed } from '../access/served-chains.js';
import { metaOf } from '../rows/display.js';
import { searchRow } from '../rows/search-row.js';
import { boardList } from './boards.js';
import type { Listing } from './first-of.js';
import type { ListedToken } from './listed-token.js';
import { MarketCache } from './market-cache.js';
import type { MarketList } from './market-list.js';
import { mustBeMeasured } from './measured.js';
import { ReadyLists } from './ready-lists.js';
import { bounds, boundsOf, screenTokens } from './screen-tokens.js';
import { searchTokens } from './search-tokens.js';
import { trendingList } from './trending-tokens.js';

const MOST_SEARCHED = 128;
/** Markets whose lists are kept, and of each so many: a page after the first need not be ordered again. */
const VIEWS_KEPT = 3;
const LISTS_KEPT = 64;

/**
 * The routes over many tokens. Every page of a list is read from the markets that its first page was read from; which
 * those are is said in `meta` and, for the next page, in the cursor.
 */
@Injectable()
export class MarketLists {
  private readonly cursors: MarketCursors;
  private readonly caches = new Map<ChainReader, MarketCache>();
  private readonly ready = new Map<ChainReader, ReadyLists>();
  /** By the views that they are of, then by what was asked for. */
  private readonly listings = new LRUCache<string, LRUCache<string, Listing<ListedToken>>>({ max: VIEWS_KEPT });

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {
    this.cursors = new MarketCursors(signer);
  }

  screener({ cursor, chain, limit, ...query }: ScreenerQuery): Promise<Answer> {
    for (const bound of bounds) {
      const { min, max } = boundsOf(query, bound);
      const name = bound.charAt(0).toUpperCase() + bound.slice(1);
      if (min !== undefined && max !== undefined && min > max)
        throw badRequest(`min${name} must not be above max${name}`);
    }
    const creator = query.creator === undefined ? undefined : walletOf(this.readers(chain), query.creator);
    const wanted = { ...query, creator };
    return this.answer<ScreenerRow>(
      { cursor, chain, limit },
      {
        ...{ name: 'screener', parameters: wanted },
        judge: (markets) => mustBeMeasured(markets, wanted),
        readsAbout: query.sellable !== undefined,
        first: (markets, most) => screenTokens(markets, wanted, most),
        row: (token) => token.screenerRow(query.window as StatsWindowName),
      },
    );
  }

  trending({ window, ...asked }: TrendingQuery): Promise<Answer> {
    return this.answer(asked, trendingList(window as StatsWindowName));
  }

  /** The first rows of a list of one chain: at a view, or of a moment ago as the routes have it. */
  async rows<Row>(
    reader: ChainReader,
    list: MarketList<Row>,
    limit: number,
    view?: ChainView,
  ): Promise<{ view: ChainView; rows: Row[] }> {
    const market = await this.market(reader, view?.pin);
    const { first } = await list.first([market], limit);
    return { view: market.view, rows: first.map(list.row) };
  }

  search({ q, query, search, ...asked }: SearchQuery): Promise<Answer> {
    const text = (q ?? query ?? search)?.trim();
    if (text === undefined) throw badRequest('q is required: the text looked for, 1 to 128 characters');
    if (text === '' || text.length > MOST_SEARCHED) {
      throw badRequest('q must have 1 to 128 characters, spaces around them not counted');
    }
    return this.answer<SearchRow>(asked, {
      ...{ name: 'search', parameters: { text } },
      first: (markets, most) => searchTokens(markets, text, most),
      row: ({ market, listed }) => searchRow(market.view, listed.token, listed),
    });
  }

  /** The best matches of a text, or the deepest tokens for an empty one. */
  async find(text: string, chain: string | undefined, limit: number): Promise<readonly ListedToken[]> {
    const markets = await this.current(this.readers(chain));
    const needle = text.trim().slice(0, MOST_SEARCHED);
    const deepest = { sort: 'liquidity', order: 'desc', window: '24h' };
    const listing = needle === '' ? screenTokens(markets, deepest, limit) : searchTokens(markets, needle, limit);
    return (await listing).first;
  }

  board(name: string, { launchpad, ...asked }: BoardQuery): Promise<Answer> {
    const board = boardNames.find((known) => known === name);
    if (board === undefined) throw notFound(`no board is called ${name}: the boards are new, graduating and graduated`);
    return this.answer(asked, boardList(board, launchpad));
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
    const markets = [...pins].map(([slug, pin]) => this.cacheOf(this.access.stillServed(slug)).at(pin));
    return pageOf(await Promise.all(markets), offset);
  }

  private current(readers: readonly ChainReader[]): Promise<Market[]> {
    return ofServed(readers, (reader) => this.cacheOf(reader).current());
  }

  private cacheOf(reader: ChainReader): MarketCache {
    let known = this.caches.get(reader);
    if (known === undefined) {
      known = new MarketCache(reader, this.logger, (market) => this.prepare(reader, market));
      this.caches.set(reader, known);
    }
    return known;
  }

  /** A page of a list. The first page of a list of one chain is made of the next market too, before requests get that. */
  private async answer<Row>({ cursor, chain, limit }: Asked, list: MarketList<Row>): Promise<Answer> {
    const readers = this.readers(chain);
    const scope = scopeOf(list.name, chain === undefined ? '*' : readers[0]!.chain.slug, list.parameters);
    const page = await this.page(scope, readers, cursor);
    list.judge?.(page.markets);
    const make = (of: Page): Promise<Answer> =>
      this.cache.answer(of.views, `${scope}|${limit}|${of.offset}`, () => this.cut(scope, of, limit, list));
    const [reader, ...others] = readers;
    if (page.offset === 0 && reader !== undefined && others.length === 0) {
      this.readyOf(reader).note(`${scope}|${limit}`, (market) => make(pageOf([market], 0)));
    }
    return make(page);
  }

  private readyOf(reader: ChainReader): ReadyLists {
    const known = this.ready.get(reader) ?? new ReadyLists();
    this.ready.set(reader, known);
    return known;
  }

  /** A list that cannot be made now is made when it is asked for. */
  private prepare(reader: ChainReader, market: Market): Promise<void> {
    return this.readyOf(reader)
      .make(market)
      .catch((error: unknown) => {
        this.logger.warn({ chain: reader.chain.slug, err: error }, 'a list could not be made of the next market');
      });
  }

  /** At least so many of the first tokens of a list, or all of it. */
  private async listing(
    scope: string,
    { markets }: Page,
    end: number,
    list: MarketList<unknown>,
  ): Promise<Listing<ListedToken>> {
    const views = markets.map(({ view: { chain, pin, about } }) => {
      const seen = list.readsAbout ? `.${about.version}` : '';
      return `${chain.slug}.${pin.epoch}.${pin.generation}.${pin.seq}${seen}`;
    });
    const ofViews = views.join('|');
    const listings = this.listings.get(ofViews) ?? new LRUCache({ max: LISTS_KEPT });
    this.listings.set(ofViews, listings);
    const known = listings.get(scope);
    if (known !== undefined && known.first.length >= Math.min(end, known.total)) return known;
    const made = await list.first(markets, roundUp(end));
    listings.set(scope, made);
    return made;
  }

  private async cut<Row>(
    scope: string,
    page: Page,
    limit: number,
    list: MarketList<Row>,
  ): Promise<{ data: Row[]; next: string | null; meta: { chains: Record<string, Meta> } }> {
    const { markets, offset } = page;
    const end = offset + limit;
    const { first, total } = await this.listing(scope, page, end, list);
    const pins = new Map(markets.map(({ view }) => [view.chain.slug, view.pin]));
    return {
      data: first.slice(offset, end).map(list.row),
      next: end < total ? this.cursors.seal(scope, pins, end) : null,
      meta: { chains: Object.fromEntries(markets.map(({ view }) => [view.chain.slug, metaOf(view)])) },
    };
  }
}

/** Which page is asked for, and of which chain; of all without one. */
interface Asked {
  readonly cursor?: string | undefined;
  readonly chain?: string | undefined;
  readonly limit: number;
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

/** Id of a wallet of one of the chains asked for. */
function walletOf(readers: readonly ChainReader[], text: string): string {
  for (const reader of readers) {
    const id = reader.chain.ids.parseAddress(text);
    if (id !== null) return id;
  }
  const chains = readers.map((reader) => reader.chain.slug).join(', ');
  throw badRequest(`creator must be an address of ${chains || 'a chain of this instance'}`);
}
