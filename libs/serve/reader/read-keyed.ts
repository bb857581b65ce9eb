import type { Hex } from '#libs/core/ids.js';
import {
  idsNamed,
  type KeyBounds,
  type KeyedRow,
  keysWithin,
  withinBounds,
} from '#libs/pipeline/projections/keyed-form.js';
import type { KeyedProjection } from '#libs/pipeline/projections/keyed-projection.js';
import type { ChainView } from './chain-view.js';
import { rowsIn } from './rows-in.js';

/** More ids than this are looked for row by row. */
const MOST_IDS = 50;

/**
 * Rows of a keyed projection at a view, in key order: those of the tables, and those of the tail over them. Invariant: the newest
 * visible row of each key decides, wherever it is.
 */
export async function readKeyed<Row extends object>(
  view: ChainView,
  projection: KeyedProjection<Row>,
  bounds: KeyBounds<Row>,
): Promise<Row[]> {
  const { keyed } = projection;
  const newest = new Map<Hex, KeyedRow>();
  const tail = tailRows(view, projection, bounds);
  if (!hasAll(tail, projection, bounds)) {
    for (const row of await view.reads.keyedRows(view.tables, keyed, bounds)) newest.set(keyed.keyOf(row), row);
  }
  for (const [key, row] of tail) newest.set(key, row);
  const found = [...newest].filter(([, row]) => !keyed.isNothing(row)).sort(([a], [b]) => (a < b ? -1 : 1));
  return found.map(([, row]) => row as unknown as Row);
}

/**
 * The same rows by one value, the largest first, then in key order; those without any are left out. With `less` by the one amount
 * less the other: then every row.
 */
export async function readRanked<Row extends object>(
  view: ChainView,
  projection: KeyedProjection<Row>,
  bounds: KeyBounds<Row>,
  { by, less, offset, limit }: { by: keyof Row & string; less?: keyof Row & string; offset: number; limit: number },
): Promise<Row[]> {
  const { keyed } = projection;
  const tail = tailRows(view, projection, bounds);
  const stored = await view.reads.keyedRows(view.tables, keyed, bounds, {
    by,
    less,
    limit: offset + limit + tail.size,
  });
  const rows = stored.filter((row) => !tail.has(keyed.keyOf(row)));
  const rankOf = (row: KeyedRow): string | number | bigint =>
    less === undefined ? row[by]! : BigInt(row[by]!) - BigInt(row[less]!);
  for (const row of tail.values()) {
    if (less === undefined ? BigInt(row[by]!) > 0n : !keyed.isNothing(row)) rows.push(row);
  }
  const order = (a: KeyedRow, b: KeyedRow): number => {
    const [first, second] = [rankOf(a), rankOf(b)];
    if (first !== second) return first > second ? -1 : 1;
    return keyed.keyOf(a) < keyed.keyOf(b) ? -1 : 1;
  };
  return rows.sort(order).slice(offset, offset + limit) as unknown as Row[];
}

/** Whether the tail has every key that there may be within bounds: then the tables have nothing to say. */
function hasAll<Row extends object>(
  tail: ReadonlyMap<Hex, KeyedRow>,
  { keyed }: KeyedProjection<Row>,
  bounds: KeyBounds<Row>,
): boolean {
  if (tail.size === 0) return false;
  const keys = keysWithin(keyed.form, bounds as KeyBounds, tail.size);
  return keys?.every((key) => tail.has(keyed.keyOf(key))) ?? false;
}

/** The newest row of each key that the tail has, zeros included. */
function tailRows<Row extends object>(
  { groups }: ChainView,
  projection: KeyedProjection<Row>,
  bounds: KeyBounds<Row>,
): Map<Hex, KeyedRow> {
  const newest = new Map<Hex, KeyedRow>();
  const { keyed } = projection;
  const ids = idsNamed(keyed.form, bounds as KeyBounds, MOST_IDS);
  for (const group of groups) {
    const rows =
      ids === null
        ? rowsIn(projection, group.facts)
        : ids.of.flatMap((id) => group.keyedRowsOf(keyed.member, ids.name, id));
    for (const row of rows) if (withinBounds(row, bounds)) newest.set(keyed.keyOf(row), row);
  }
  return newest;
}
