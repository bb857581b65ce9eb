import { type KeyBounds, type KeyedRow, withinBounds } from '#libs/projections/keyed-form.js';
import type { KeyedProjection } from '#libs/projections/keyed-projection.js';
import type { ChainView } from './chain-view.js';

/**
 * Rows of a keyed projection at a view, in key order: those of the tables, and those of the tail over them. Invariant: the newest
 * visible row of each key decides, wherever it is.
 */
export async function readKeyed<Row extends object>(
  view: ChainView,
  { keyed }: KeyedProjection<Row>,
  bounds: KeyBounds<Row>,
): Promise<Row[]> {
  const newest = new Map<string, KeyedRow>();
  for (const row of await view.reads.keyedRows(view.tables, keyed, bounds)) newest.set(keyed.keyOf(row), row);
  for (const { facts } of view.groups) {
    const members = facts as unknown as Record<string, readonly KeyedRow[] | undefined>;
    for (const row of members[keyed.member] ?? []) if (withinBounds(row, bounds)) newest.set(keyed.keyOf(row), row);
  }
  const found = [...newest].filter(([, row]) => !keyed.isNothing(row)).sort(([a], [b]) => (a < b ? -1 : 1));
  return found.map(([, row]) => row as unknown as Row);
}
