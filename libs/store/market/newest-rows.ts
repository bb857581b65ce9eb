import type { Hex } from '#libs/core/ids.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import type { Condition } from './view.js';

/** Keys without a row in the newest groups are looked up one by one, unless they are more than this. */
export const MOST_POINT_READS = 8;

export interface KeyedTable {
  table: string;
  /** Column of the id, first in the table's order and before `seq`. Its hex is a column `<key>_hex`. */
  key: string;
  columns: string;
  /** A key gets a row with many blocks: all of them are too many to look through. */
  long: boolean;
}

/** Rows of these ids. */
export function ofIds(column: string, ids: readonly Hex[]): Condition {
  const [only] = ids;
  if (ids.length === 1) return { sql: `${column} = unhex({id:String})`, params: { id: only! } };
  return { sql: `${column} IN (SELECT unhex(arrayJoin({ids:Array(String)})))`, params: { ids: [...ids] } };
}

/**
 * The newest visible row of each key that has one, in no order. Several keys are one question, as the engine takes longer to plan a
 * question than to find one row more. A point read goes backwards from the end of its key, so that it costs the same however long
 * the key's history is.
 */
export async function newestRows<Row extends object>(
  tables: MarketTables,
  { table, key, columns, long }: KeyedTable,
  rows: Condition,
  ids: readonly Hex[],
): Promise<Row[]> {
  const read = (asked: readonly Hex[], order: string, since = 0): Promise<Row[]> => {
    const { sql, params } = ofIds(key, asked);
    const bound: Record<string, QueryValue> = { ...rows.params, ...params, ...(since > 0 && { since }) };
    return tables.store.query<Row>(
      `SELECT ${columns} FROM ${tables.database}.${table} WHERE ${rows.sql} AND ${sql}${since > 0 ? ' AND seq > {since:UInt64}' : ''}
       ORDER BY ${order} SETTINGS max_threads = 1`,
      bound,
    );
  };
  const pointReads = async (asked: readonly Hex[]): Promise<Row[]> =>
    (await Promise.all(asked.map((id) => read([id], 'seq DESC LIMIT 1')))).flat();
  const together = (asked: readonly Hex[], since = 0): Promise<Row[]> =>
    read(asked, `${key}, seq DESC LIMIT 1 BY ${key}`, since);

  const unique = [...new Set(ids)];
  if (unique.length < 2) return pointReads(unique);
  const since = long ? tables.recentSince({ seq: Number(rows.params.view_seq) }) : 0;
  if (since === 0) return together(unique);
  const recent = await together(unique, since);
  const known = new Set(recent.map((row) => (row as Record<string, unknown>)[`${key}_hex`]));
  const others = unique.filter((id) => !known.has(id));
  const rest = others.length > MOST_POINT_READS ? together(others) : pointReads(others);
  return [...recent, ...(await rest)];
}
