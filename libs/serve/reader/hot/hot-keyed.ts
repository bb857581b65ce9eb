import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import { boundsOf, type KeyBounds, type KeyedRow, keysWithin } from '#libs/pipeline/projections/keyed-form.js';
import type { Rank } from '#libs/pipeline/store/market/keyed-reads.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import { type Batches, MOST_IDS, MOST_LONG } from './batches.js';
import { type HotStates, type StateKey, UncacheableState } from './hot-states.js';
import { KeyedRange, KeyedRank, MOST_ROWS, oneIdOf } from './keyed-states.js';
import { NewestRow } from './newest-row.js';
import { roundUp } from './page-length.js';

/** A rank of more rows is read from the tables: the pages far back of a list. */
const MOST_RANKED = 16_000;
/** More keys are read from the tables. */
const MOST_POINTS = 1_000;

/** What hot reads are made of. */
export interface Sources {
  readonly tables: MarketReads;
  readonly states: HotStates;
  readonly batches: Batches;
}

/** Rows of the keyed projections at a view that the states are at: single keys, all within bounds, the first ones by a value. */
export async function hotKeyedRows(
  { tables, states, batches }: Sources,
  view: View,
  fold: KeyedFold,
  bounds: KeyBounds,
  rank?: Rank,
): Promise<KeyedRow[]> {
  const read = () => tables.keyedRows(view, fold, bounds, rank);
  const keys = rank === undefined ? pointsOf(fold, bounds) : null;
  if (keys !== null) {
    const rows = await points({ tables, states, batches }, view, fold, bounds, keys);
    return rows ?? keyedRows({ tables, states, batches }, view, fold, bounds);
  }
  const of = oneIdOf(fold, bounds);
  if (of === null) return read();
  const key = `${fold.table} ${JSON.stringify(bounds)}`;
  if (rank === undefined) {
    const load = async () => {
      const rows = await read();
      return rows.length > MOST_ROWS ? new UncacheableState() : new KeyedRange(fold, bounds, of, rows);
    };
    return (
      (await states.one({ key: `range ${key}`, ids: [of.id] }, { load, answer: (range) => range.all() })) ?? read()
    );
  }
  const { by, less, limit } = rank;
  if (limit > MOST_RANKED) return read();
  const order = { by, ...(less && { less }) };
  /** With those of other ids that are asked for at the same time, where the id is all that bounds say. */
  const rankOf = async (wanted: Rank): Promise<KeyedRow[]> => {
    if (Object.keys(bounds).length > 1) return tables.keyedRows(view, fold, bounds, wanted);
    const lists = await batches.read<KeyedRow[]>({
      kind: `rank ${fold.table} ${Object.values({ ...wanted, of: of.name }).join(' ')}`,
      ...{ seq: view.seq, ids: [of.id], most: MOST_LONG },
      read: async (ids) =>
        byId(
          await tables.keyedRows(view, fold, { [of.name]: { in: ids } }, { ...wanted, each: of.name }),
          (row) => row[of.name] as Hex,
        ),
    });
    return lists.get(of.id) ?? [];
  };
  const found = await states.one<KeyedRank, KeyedRow[] | null>(
    { key: `rank ${key} ${by} ${less ?? ''}`, ids: [of.id] },
    {
      load: async () => {
        const asked = roundUp(limit + 32);
        const rows = await rankOf({ ...order, limit: asked });
        if (rows.length > MOST_ROWS) return new UncacheableState();
        return new KeyedRank(fold, bounds, of, order, rows, rows.length < asked);
      },
      usable: (known) => known.first(limit) !== null,
      answer: (known) => known.first(limit),
    },
  );
  return found ?? read();
}

/** The same rows of any view, from the tables: single keys of one id with those that others ask for. */
export async function keyedRows(
  sources: Sources,
  view: View,
  fold: KeyedFold,
  bounds: KeyBounds,
  rank?: Rank,
): Promise<KeyedRow[]> {
  const keys = rank === undefined && fold.form.key.length === 1 ? pointsOf(fold, bounds) : null;
  if (keys === null) return sources.tables.keyedRows(view, fold, bounds, rank);
  const rows = await byKeyTogether(sources, view, fold, keys);
  const inOrder = [...new Set<string>(keys.map((key) => fold.keyOf(key)))].sort();
  return inOrder.flatMap((key) => {
    const row = rows.get(key);
    return row === undefined ? [] : [row];
  });
}

/** Rows by key, of keys that are one id. */
function byKeyTogether({ tables, batches }: Sources, view: View, fold: KeyedFold, keys: readonly KeyedRow[]) {
  const { name } = fold.form.key[0]!;
  return batches.read<KeyedRow>({
    ...{ kind: `${fold.table} ${view.asOfBlock ?? ''}`, seq: view.seq, most: MOST_IDS },
    ids: keys.map((key) => key[name] as string),
    read: (ids) => rowsByKey(tables, view, fold, { [name]: { in: ids } }),
  });
}

async function rowsByKey(tables: MarketReads, view: View, fold: KeyedFold, bounds: KeyBounds) {
  return new Map((await tables.keyedRows(view, fold, bounds)).map((row) => [fold.keyOf(row) as string, row]));
}

async function points(
  { tables, states, batches }: Sources,
  view: View,
  fold: KeyedFold,
  bounds: KeyBounds,
  keys: readonly KeyedRow[],
): Promise<KeyedRow[] | null> {
  return states.get<NewestRow<KeyedRow>, KeyedRow[]>(
    keys.map((key) => pointOf(fold, key)),
    {
      load: async (missing) => {
        const asked = missing.map((index) => keys[index]!);
        const byKey =
          fold.form.key.length === 1
            ? await byKeyTogether({ tables, states, batches }, view, fold, asked)
            : await rowsByKey(tables, view, fold, boundsOf(fold.form, bounds, asked));
        return asked.map((key) => point(fold, key, byKey.get(fold.keyOf(key)) ?? null));
      },
      answer: (found) =>
        found.flatMap((state) => (state instanceof UncacheableState || state.row === null ? [] : [state.row])),
    },
  );
}

/** The keys within bounds where these name all of them, and groups know them by an id; else null. */
const pointsOf = ({ form }: KeyedFold, bounds: KeyBounds): KeyedRow[] | null =>
  form.key.some(({ kind }) => kind === 'id') ? keysWithin(form, bounds, MOST_POINTS) : null;

/** The ids of a key: the narrowest one comes last in every key, a wallet after its token. */
export function pointOf(fold: KeyedFold, key: KeyedRow): StateKey {
  const ids = fold.form.key.flatMap(({ name, kind }) => (kind === 'id' ? [key[name] as Hex] : []));
  return { key: `row ${fold.table} ${fold.keyOf(key)}`, ids: ids.slice(-1) };
}

export function point(fold: KeyedFold, key: KeyedRow, row: KeyedRow | null): NewestRow<KeyedRow> {
  const own = fold.keyOf(key);
  const field = fold.form.key.findLast(({ kind }) => kind === 'id');
  return new NewestRow(row, (group) =>
    group
      .keyedRowsOf(fold.member, field!.name, key[field!.name] as Hex)
      .findLast((candidate) => fold.keyOf(candidate) === own),
  );
}
