import type { Hex } from '#libs/core/ids.js';
import { bucketEnd, bucketStart } from '#libs/fold/candles.js';
import type { KeyedFold } from '#libs/projections/keyed-fold.js';
import type { KeyBounds, KeyedRow } from '#libs/projections/keyed-form.js';
import { traderTags } from '#libs/projections/trader-tags/projection.js';
import type { Rank } from '#libs/store/market/keyed-reads.js';
import type { MarketReads } from '#libs/store/market/reads.js';
import type { View } from '#libs/store/market/view.js';
import { type HotStates, REFERENCES, TooMuch } from './hot-states.js';
import { KeyedRange, KeyedRank, MOST_ROWS, oneIdOf } from './keyed-states.js';
import { NewestCandles } from './newest-candles.js';
import { NewestRow, poolIn, priceIn, TokenPools, tokenIn } from './newest-row.js';
import { NewestTrades } from './newest-trades.js';
import { MOST_STEPS, PriceSteps, RECENT_MS, ReferenceSteps } from './price-steps.js';
import { MOST_TRADES, WindowTrades } from './window-trades.js';

/**
 * The reads of tables with what is held of them in front. Invariant: each answers what the tables answer for the same view; a view
 * of another seq than the states', or of an older block, is read from the tables.
 */
export function hotReads(tables: MarketReads, states: HotStates): MarketReads {
  const isHot = (view: View): boolean => states.on && view.seq === states.seq && view.asOfBlock === undefined;

  /** The newest row of each id. */
  async function newest<Row extends object>(
    [name, view, ids]: [name: string, view: View, ids: readonly Hex[]],
    read: (ids: Hex[]) => Promise<Row[]>,
    idOf: (row: Row) => Hex,
    next: (group: Parameters<typeof tokenIn>[0], id: Hex) => Row | undefined,
  ): Promise<Row[]> {
    if (!isHot(view)) return read([...ids]);
    const unique = [...new Set(ids)];
    const wanted = unique.map((id) => ({ key: `${name} ${id}`, ids: [id] }));
    const found = await states.get<NewestRow<Row>>(wanted, async (missing) => {
      const asked = missing.map((index) => unique[index]!);
      const rows = new Map((await read(asked)).map((row) => [idOf(row), row]));
      return asked.map((id) => new NewestRow<Row>(rows.get(id) ?? null, (group) => next(group, id)));
    });
    if (found === null) return read(unique);
    return found.flatMap((state) => (state instanceof TooMuch || state.row === null ? [] : [state.row]));
  }

  const priceSteps = (view: View, token: Hex): Promise<PriceSteps | null> =>
    states.one({ key: `price-steps ${token}`, ids: [token] }, async () => {
      const floor = states.time - RECENT_MS;
      const [first, steps] = await Promise.all([
        tables.prices(view, [token], floor),
        tables.priceSteps(view, token, floor, MOST_STEPS + 1),
      ]);
      return steps.length > MOST_STEPS ? new TooMuch() : new PriceSteps(token, floor, [...first, ...steps]);
    });

  /** Prices as the last block before a time left them. */
  async function pricesBefore(view: View, tokens: readonly Hex[], time: number) {
    if (!isHot(view)) return tables.prices(view, tokens, time);
    const found = await Promise.all(tokens.map((token) => priceSteps(view, token)));
    if (!isHot(view)) return tables.prices(view, tokens, time);
    const asked = tokens.filter((_, index) => !found[index]?.reaches(time));
    const rows = found.flatMap((steps) => (steps?.reaches(time) ? (steps.before(time) ?? []) : []));
    return asked.length === 0 ? rows : [...rows, ...(await tables.prices(view, asked, time))];
  }

  /** The part of the past that a time is in: parts are loaded one by one, and the next before it is needed. */
  const referencePart = (view: View, index: number): Promise<ReferenceSteps | null> =>
    states.one({ key: `reference-steps ${index}`, ids: [REFERENCES] }, async () => {
      const [from, to] = [index * PART_MS, (index + 1) * PART_MS];
      const [first, steps] = await Promise.all([tables.references(view, from), tables.referenceSteps(view, from, to)]);
      return new ReferenceSteps(first, steps, to);
    });

  async function references(view: View, before?: number) {
    if (!isHot(view) || (before !== undefined && before < states.time - RECENT_MS)) {
      return tables.references(view, before);
    }
    if (before === undefined) {
      const state = await states.one(
        { key: 'references', ids: [REFERENCES] },
        async () =>
          new NewestRow(await tables.references(view), ({ facts }) =>
            facts.references.length > 0 ? facts.references : undefined,
          ),
      );
      return state?.row ?? tables.references(view);
    }
    const index = Math.floor((before - 1) / PART_MS);
    const next = before + PART_MS / 2;
    const ahead = Math.floor((next - 1) / PART_MS);
    // Nobody waits for it; a failure is that of the read which needs it.
    if (ahead > index && next <= states.time) referencePart(view, ahead).catch(() => undefined);
    const part = await referencePart(view, index);
    return part === null ? tables.references(view, before) : [...part.before(before)];
  }

  async function referenceAt(view: View, token: Hex, times: readonly number[]) {
    if (!isHot(view)) return tables.referenceAt(view, token, times);
    const unique = [...new Set(times)];
    const found = await states.get<NewestRow<{ usd: bigint | null }>>(
      // No block to come has an earlier time than the last one.
      unique.map((time) => ({ key: `reference ${token} ${time}`, ids: time > states.time ? [REFERENCES] : [] })),
      async (missing) => {
        const asked = missing.map((index) => unique[index]!);
        const prices = await tables.referenceAt(view, token, asked);
        return asked.map(
          (time, index) =>
            new NewestRow<{ usd: bigint | null }>({ usd: prices[index] ?? null }, ({ facts }) =>
              facts.time < time ? facts.references.find((price) => price.token === token) : undefined,
            ),
        );
      },
    );
    if (found === null) return tables.referenceAt(view, token, times);
    const prices = new Map(unique.map((time, index) => [time, usdOf(found[index]!)]));
    return times.map((time) => prices.get(time) ?? null);
  }

  async function keyedRows(view: View, fold: KeyedFold, bounds: KeyBounds, rank?: Rank): Promise<KeyedRow[]> {
    const read = () => tables.keyedRows(view, fold, bounds, rank);
    if (!isHot(view)) return read();
    const keys = rank === undefined ? pointsOf(fold, bounds) : null;
    if (keys !== null) return (await points(view, fold, bounds, keys)) ?? read();
    const of = oneIdOf(fold, bounds);
    if (of === null) return read();
    const key = `${fold.table} ${JSON.stringify(bounds)}`;
    if (rank === undefined) {
      const state = await states.one({ key: `range ${key}`, ids: [of.id] }, async () => {
        const rows = await read();
        return rows.length > MOST_ROWS ? new TooMuch() : new KeyedRange(fold, bounds, of, rows);
      });
      return state?.all() ?? read();
    }
    const { by, less, limit } = rank;
    if (limit > MOST_RANKED) return read();
    const state = await states.one(
      { key: `rank ${key} ${by} ${less ?? ''}`, ids: [of.id] },
      async () => {
        const asked = roundUp(limit + 32);
        const rows = await tables.keyedRows(view, fold, bounds, { by, ...(less && { less }), limit: asked });
        if (rows.length > MOST_ROWS) return new TooMuch();
        return new KeyedRank(fold, bounds, of, { by, ...(less && { less }) }, rows, rows.length < asked);
      },
      (known) => known.first(limit) !== null,
    );
    return state?.first(limit) ?? read();
  }

  async function points(view: View, fold: KeyedFold, bounds: KeyBounds, keys: readonly KeyedRow[]) {
    const wanted = keys.map((key) => pointOf(fold, key));
    const found = await states.get<NewestRow<KeyedRow>>(wanted, async (missing) => {
      const asked = missing.map((index) => keys[index]!);
      const narrowed = Object.fromEntries(
        fold.form.key.map(({ name }) => {
          const bound = bounds[name]!;
          return [name, 'in' in bound ? { in: [...new Set(asked.map((key) => key[name] as string))] } : bound];
        }),
      );
      const rows = await tables.keyedRows(view, fold, narrowed);
      const byKey = new Map(rows.map((row) => [fold.keyOf(row), row]));
      return asked.map((key) => point(fold, key, byKey.get(fold.keyOf(key)) ?? null));
    });
    return found?.flatMap((state) => (state instanceof TooMuch || state.row === null ? [] : [state.row])) ?? null;
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
    prices: (view, tokens, before) =>
      before !== undefined
        ? pricesBefore(view, tokens, before)
        : newest(
            ['price', view, tokens],
            (asked) => tables.prices(view, asked),
            ({ token }) => token,
            priceIn,
          ),
    references,
    referenceAt,
    keyedRows,
    async poolsOfToken(view, token, limit = 500) {
      const read = () => tables.poolsOfToken(view, token, limit);
      if (!isHot(view)) return read();
      const state = await states.one(
        { key: `pools ${token} ${limit}`, ids: [token] },
        async () => new TokenPools(token, await read(), limit),
      );
      return state?.rows() ?? read();
    },
    async tokenStats(view, token, windows, pool) {
      const read = () => tables.tokenStats(view, token, windows, pool);
      if (!isHot(view) || pool !== undefined) return read();
      const state = await states.one({ key: `windows ${token}`, ids: [token] }, async () => {
        const floor = states.time - RECENT_MS;
        const trades = await tables.recentTrades(view, token, floor, MOST_TRADES + 1);
        return trades.length > MOST_TRADES ? new TooMuch() : new WindowTrades(token, floor, trades);
      });
      return state?.reaches(windows) ? state.stats(windows) : read();
    },
    async tradesPage(view, query) {
      const read = () => tables.tradesPage(view, query);
      const { before, limit, fromTime, toTime, ...filter } = query;
      if (!isHot(view) || fromTime !== undefined || toTime !== undefined) return read();
      const key = `trades ${Object.values({ ...NO_FILTER, ...filter }).join(' ')}`;
      // A page further back is no reason to hold more.
      if (before !== undefined) return states.loaded<NewestTrades>(key)?.page(query) ?? read();
      const { token, wallet } = filter;
      const state = await states.one(
        { key, ids: [(token ?? wallet)!] },
        async () => {
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
        (known) => known.page(query) !== null,
      );
      return state?.page(query) ?? read();
    },
    async candleBuckets(view, query) {
      const read = () => tables.candleBuckets(view, query);
      if (!isHot(view)) return read();
      const { token, pool, interval, limit } = query;
      const key = `candles ${token} ${pool ?? ''} ${interval}`;
      const now = bucketEnd(interval, bucketStart(interval, states.time));
      if (query.toTime < now) return states.loaded<NewestCandles>(key)?.buckets(query) ?? read();
      const state = await states.one(
        { key, ids: [token] },
        async () => {
          const asked = roundUp(limit + 64);
          const rows = await tables.candleBuckets(view, { ...query, fromTime: 0, limit: asked });
          return new NewestCandles({ token, interval, ...(pool && { pool }) }, rows, rows.length < asked);
        },
        (known) => known.buckets(query) !== null,
      );
      return state?.buckets(query) ?? read();
    },
  };
  return Object.assign(Object.create(tables) as MarketReads, hot);
}

const PART_MS = 900_000;
/** A rank of more rows is read from the tables: the pages far back of a list. */
const MOST_RANKED = 16_000;
/** More keys are read from the tables. */
const MOST_POINTS = 1_000;

const NO_FILTER = { token: '', wallet: '', pool: '', side: '', minUsd: '' };

/** Pages of nearly equal length share what is held. */
function roundUp(limit: number): number {
  let rounded = 64;
  while (rounded < limit) rounded *= 2;
  return rounded;
}

const usdOf = (state: NewestRow<{ usd: bigint | null }> | TooMuch): bigint | null =>
  state instanceof TooMuch ? null : (state.row?.usd ?? null);

/** The keys within bounds where these name all of them, and groups know them by an id; else null. */
function pointsOf({ form }: KeyedFold, bounds: KeyBounds): KeyedRow[] | null {
  if (!form.key.some(({ kind }) => kind === 'id')) return null;
  let keys: Record<string, string | number>[] = [{}];
  for (const { name } of form.key) {
    const bound = bounds[name];
    if (bound === undefined || 'from' in bound) return null;
    const values = 'in' in bound ? [...new Set(bound.in)] : [bound.is];
    if (keys.length * values.length > MOST_POINTS) return null;
    keys = keys.flatMap((key) => values.map((value) => ({ ...key, [name]: value })));
  }
  return keys;
}

/** The ids of a key: the narrowest one comes last in every key, a wallet after its token. */
function pointOf(fold: KeyedFold, key: KeyedRow) {
  const ids = fold.form.key.flatMap(({ name, kind }) => (kind === 'id' ? [key[name] as Hex] : []));
  return { key: `row ${fold.table} ${fold.keyOf(key)}`, ids: ids.slice(-1) };
}

function point(fold: KeyedFold, key: KeyedRow, row: KeyedRow | null): NewestRow<KeyedRow> {
  const own = fold.keyOf(key);
  const field = fold.form.key.findLast(({ kind }) => kind === 'id');
  return new NewestRow(row, (group) =>
    group
      .keyedRowsOf(fold.member, field!.name, key[field!.name] as Hex)
      .findLast((candidate) => fold.keyOf(candidate) === own),
  );
}
