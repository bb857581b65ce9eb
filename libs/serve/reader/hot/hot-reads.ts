import type { Hex } from '#libs/core/ids.js';
import { bucketEnd, bucketStart } from '#libs/pipeline/fold/candles.js';
import { traderTags } from '#libs/pipeline/projections/trader-tags/projection.js';
import type { CandleRow } from '#libs/pipeline/store/market/candle-reads.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { PoolsOfToken } from '#libs/pipeline/store/market/token-reads.js';
import type { TradeRow } from '#libs/pipeline/store/market/trade-reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import { Batches, MOST_IDS, MOST_LONG } from './batches.js';
import { hotKeyedRows, keyedRows, point, pointOf } from './hot-keyed.js';
import { hotPrices } from './hot-prices.js';
import { type HotStates, UncacheableState } from './hot-states.js';
import { hotStats } from './hot-stats.js';
import { NewestCandles } from './newest-candles.js';
import { NewestRow, poolIn, priceIn, TokenPools, tokenIn } from './newest-row.js';
import { NewestTrades } from './newest-trades.js';
import { roundUp } from './page-length.js';

/**
 * The reads of tables with what is held of them in front. Invariant: each answers what the tables answer for the same view; a view
 * of another seq than the states', or of an older block, is read from the tables.
 */
export function hotReads(store: MarketReads, states: HotStates): MarketReads {
  const isHot = (view: View): boolean => states.on && view.seq === states.seq && view.asOfBlock === undefined;
  const batches = new Batches();
  const tables: MarketReads = Object.assign(Object.create(store) as MarketReads, {
    /** One question for all who want those of a time: each token has the same at the beginnings of its windows. */
    references: async (view: View, before?: number) => {
      const found = await batches.read({
        ...{ kind: `references ${before ?? ''} ${view.asOfBlock ?? ''}`, seq: view.seq, ids: [ALL], most: 1 },
        read: async () => new Map([[ALL, await store.references(view, before)]]),
      });
      return [...found.get(ALL)!];
    },
  });
  const sources = { tables, states, batches };
  const prices = hotPrices(sources);

  /** One row of each id that has one, with those that others ask for: also at a view that the states have left behind. */
  async function together<Row extends object>(
    [name, view, ids]: [name: string, view: View, ids: readonly Hex[]],
    read: (ids: Hex[]) => Promise<Row[]>,
    idOf: (row: Row) => Hex,
  ): Promise<Row[]> {
    const rows = await batches.read<Row>({
      ...{ kind: `${name} ${view.asOfBlock ?? ''}`, seq: view.seq, ids, most: MOST_IDS },
      read: async (all) => new Map((await read(all)).map((row) => [idOf(row), row])),
    });
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  /** The newest row of each id. */
  async function newest<Row extends object>(
    [name, view, ids]: [name: string, view: View, ids: readonly Hex[]],
    read: (ids: Hex[]) => Promise<Row[]>,
    idOf: (row: Row) => Hex,
    next: (group: Parameters<typeof tokenIn>[0], id: Hex) => Row | undefined,
  ): Promise<Row[]> {
    const unique = [...new Set(ids)];
    if (!isHot(view)) return together([name, view, unique], read, idOf);
    const found = await states.get<NewestRow<Row>, Row[]>(
      unique.map((id) => ({ key: `${name} ${id}`, ids: [id] })),
      {
        load: async (missing) => {
          const asked = missing.map((index) => unique[index]!);
          const rows = new Map((await together([name, view, asked], read, idOf)).map((row) => [idOf(row), row]));
          return asked.map((id) => new NewestRow<Row>(rows.get(id) ?? null, (group) => next(group, id)));
        },
        answer: (rows) =>
          rows.flatMap((state) => (state instanceof UncacheableState || state.row === null ? [] : [state.row])),
      },
    );
    return found ?? together([name, view, unique], read, idOf);
  }

  const hot: Partial<MarketReads> = {
    tokens: (view, ids) =>
      newest(
        ['token', view, ids],
        (asked) => tables.tokens(view, asked),
        ({ token }) => token,
        tokenIn,
      ),
    poolRecords: (view, ids) =>
      newest(
        ['pool', view, ids],
        (asked) => tables.poolRecords(view, asked),
        ({ pool }) => pool,
        poolIn,
      ),
    async prices(view, tokens, before) {
      if (!isHot(view)) {
        return together(
          [`price ${before ?? ''}`, view, [...new Set(tokens)]],
          (asked) => tables.prices(view, asked, before),
          ({ token }) => token,
        );
      }
      if (before !== undefined) return prices.pricesBefore(view, tokens, before);
      const { rows, others } = prices.heldPrices(tokens);
      if (others.length === 0) return rows;
      const found = await newest(
        ['price', view, others],
        (asked) => tables.prices(view, asked),
        ({ token }) => token,
        priceIn,
      );
      return [...rows, ...found];
    },
    references: async (view, before) =>
      isHot(view) ? prices.references(view, before) : tables.references(view, before),
    referenceAt: async (view, token, times) =>
      isHot(view) ? prices.referenceAt(view, token, times) : tables.referenceAt(view, token, times),
    keyedRows: async (view, fold, bounds, rank) =>
      isHot(view) ? hotKeyedRows(sources, view, fold, bounds, rank) : keyedRows(sources, view, fold, bounds, rank),
    async poolsOfTokens(view, tokens, limit = 500, shown = limit) {
      const unique = [...new Set(tokens)];
      const together = (ids: readonly Hex[]): Promise<ReadonlyMap<string, PoolsOfToken>> =>
        batches.read({
          ...{ kind: `pools ${limit} ${shown} ${view.asOfBlock ?? ''}`, seq: view.seq, ids, most: MOST_LONG },
          read: (all) => tables.poolsOfTokens(view, all, limit, shown),
        });
      const read = async (): Promise<Map<Hex, PoolsOfToken>> => {
        const pools = await together(unique);
        return new Map(unique.map((token) => [token, pools.get(token)!]));
      };
      if (!isHot(view)) return read();
      const found = await states.get<TokenPools, Map<Hex, PoolsOfToken>>(
        unique.map((token) => ({ key: `pools ${token} ${limit} ${shown}`, ids: [token] })),
        {
          load: async (missing) => {
            const asked = missing.map((index) => unique[index]!);
            const pools = await together(asked);
            return asked.map((token) => new TokenPools(token, pools.get(token)!, limit));
          },
          answer: (held) =>
            new Map(
              held.map((pools, index) => [unique[index]!, pools instanceof UncacheableState ? NO_POOLS : pools.all()]),
            ),
        },
      );
      return found ?? read();
    },
    async tokenStats(view, token, windows, pool) {
      const found = isHot(view) && pool === undefined ? await hotStats(sources, view, token, windows) : null;
      return found ?? tables.tokenStats(view, token, windows, pool);
    },
    async tradesPage(view, query) {
      const read = () => tables.tradesPage(view, query);
      const { before, limit, fromTime, toTime, ...filter } = query;
      if (!isHot(view) || fromTime !== undefined || toTime !== undefined) return read();
      const key = `trades ${Object.values({ ...NO_FILTER, ...filter }).join(' ')}`;
      // A page further back is no reason to hold more.
      if (before !== undefined) return states.loaded<NewestTrades>(key)?.page(query) ?? read();
      const { token, wallet } = filter;
      const found = await states.one<NewestTrades, TradeRow[] | null>(
        { key, ids: [(token ?? wallet)!] },
        {
          load: async () => {
            const asked = { ...query, limit: roundUp(limit + 32) };
            const rows = await tables.tradesPage(view, asked);
            return new NewestTrades(asked, rows, rows.length < asked.limit, (trade, group) => {
              // The facts of a block hold the tags of everyone who traded in it: of others there is none.
              const pair = { token: token ?? trade.base, wallet: trade.wallet };
              const rowsOf = group.keyedRowsOf(traderTags.keyed.member, 'wallet', trade.wallet);
              const tags = rowsOf.find((row) => row.token === pair.token) ?? null;
              states.put(pointOf(traderTags.keyed, pair), point(traderTags.keyed, pair, tags));
            });
          },
          usable: (known) => known.page(query) !== null,
          answer: (known) => known.page(query),
        },
      );
      return found ?? read();
    },
    async candleBuckets(view, query) {
      const read = () => tables.candleBuckets(view, query);
      if (!isHot(view)) return read();
      const { token, pool, interval, limit } = query;
      const key = `candles ${token} ${pool ?? ''} ${interval}`;
      const now = bucketEnd(interval, bucketStart(interval, states.time));
      if (query.toTime < now) return states.loaded<NewestCandles>(key)?.buckets(query) ?? read();
      const found = await states.one<NewestCandles, CandleRow[] | null>(
        { key, ids: [token] },
        {
          load: async () => {
            const asked = roundUp(limit + 64);
            const rows = await tables.candleBuckets(view, { ...query, fromTime: 0, limit: asked, mayBeFew: true });
            return new NewestCandles({ token, interval, ...(pool && { pool }) }, rows, rows.length < asked);
          },
          usable: (known) => known.buckets(query) !== null,
          answer: (known) => known.buckets(query),
        },
      );
      return found ?? read();
    },
  };
  return Object.assign(Object.create(tables) as MarketReads, hot);
}

/** The one id of a question that is not about ids. */
const ALL = '*';

const NO_POOLS: PoolsOfToken = { rows: [], more: false };

const NO_FILTER = { token: '', wallet: '', pool: '', side: '', minUsd: '' };
