import type { Hex } from '#libs/core/ids.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import type { Condition } from './view.js';

/** Keys without a row in the newest groups are looked up one by one, unless they are more than this. */
const MOST_POINT_READS = 8;

interface KeyReads<Key, Row> {
  nameOf(row: Row): string;
  /** The newest row of one key, whatever the length of its history. */
  one(key: Key): Promise<Row[]>;
  /** Those of several in one question; of the groups after `since` alone where it is above 0. It may give other keys of the same read. */
  together(keys: readonly Key[], since: number): Promise<Row[]>;
}

/**
 * The newest row of each key that has one, in no order. Several keys are one question, as the engine takes longer to plan a
 * question than to find one row more; a key may have a row with each block, so that they are looked for in the groups after `since`
 * first.
 */
export async function newestOf<Key, Row>(
  keys: ReadonlyMap<string, Key>,
  since: number,
  { nameOf, one, together }: KeyReads<Key, Row>,
): Promise<Row[]> {
  const oneByOne = async (some: readonly Key[]): Promise<Row[]> => (await Promise.all(some.map(one))).flat();
  const all = [...keys.values()];
  if (all.length < 2) return oneByOne(all);
  const recent = await together(all, since);
  if (since === 0) return recent;
  const known = new Set(recent.map(nameOf));
  const others = [...keys].flatMap(([name, key]) => (known.has(name) ? [] : [key]));
  const rest = await (others.length > MOST_POINT_READS ? together(others, 0) : oneByOne(others));
  return [...recent, ...rest.filter((row) => !known.has(nameOf(row)))];
}

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

/** The newest visible row of each key that has one, in no order. */
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
  const since = long ? tables.recentSince({ seq: Number(rows.params.view_seq) }) : 0;
  return newestOf<Hex, Row>(new Map(ids.map((id) => [id, id])), since, {
    nameOf: (row) => (row as Record<string, string>)[`${key}_hex`]!,
    // Backwards from the end of the key.
    one: (id) => read([id], 'seq DESC LIMIT 1'),
    together: (some, after) => read(some, `${key}, seq DESC LIMIT 1 BY ${key}`, after),
  });
}
