import type { Hex } from '#libs/core/ids.js';
import type { MarketTables } from './market-tables.js';
import type { Condition } from './view.js';

/** More keys than this are looked up in one scan instead of one point read each. */
const MOST_POINT_READS = 16;

export interface KeyedTable {
  table: string;
  /** Column of the id, first in the table's order and before `seq`. */
  key: string;
  columns: string;
}

/**
 * The newest visible row of each key that has one, in no order. A point read goes backwards from the end of its key, so
 * that it costs the same however long the key's history is.
 */
export async function newestRows<Row>(
  tables: MarketTables,
  { table, key, columns }: KeyedTable,
  rows: Condition,
  ids: readonly Hex[],
): Promise<Row[]> {
  const from = `SELECT ${columns} FROM ${tables.database}.${table} WHERE ${rows.sql}`;
  if (ids.length > MOST_POINT_READS) {
    return tables.store.query<Row>(
      `${from} AND ${key} IN (SELECT unhex(arrayJoin({ids:Array(String)}))) ORDER BY ${key}, seq DESC LIMIT 1 BY ${key}
       SETTINGS max_threads = 1`,
      { ...rows.params, ids: [...ids] },
    );
  }
  const found = ids.map((id) =>
    tables.store.query<Row>(
      `${from} AND ${key} = unhex({id:String}) ORDER BY seq DESC LIMIT 1 SETTINGS max_threads = 1`,
      { ...rows.params, id },
    ),
  );
  return (await Promise.all(found)).flat();
}
