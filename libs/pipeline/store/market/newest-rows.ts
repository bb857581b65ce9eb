import type { Hex } from '#libs/core/ids.js';
import { inPieces } from './id-pieces.js';
import type { MarketTables } from './market-tables.js';
import type { Condition } from './view.js';

/**
 * Settings of a read of few rows by their keys, which is nearly all planning: the engine's older analyzer plans it with a sixth less
 * processor time, and one thread reads it.
 */
export const POINT_READ = 'SETTINGS max_threads = 1, enable_analyzer = 0';

/** Keys without a row in the newest groups are looked up one by one, unless they are more than this: two such reads take what one by place does. */
const MOST_POINT_READS = 2;

/**
 * How rows of several keys are looked for in one question: among all of their rows, or of the groups after `since` alone; or by place:
 * the newest place of each key is found from few columns, and only the rows there are read.
 */
export type Look = { readonly since: number } | 'by place';

interface KeyReads<Key, Row> {
  nameOf(row: Row): string;
  /** The newest row of one key, whatever the length of its history. */
  one(key: Key): Promise<Row[]>;
  /** Those of several in one question. It may give other keys of the same read. */
  together(keys: readonly Key[], look: Look): Promise<Row[]>;
}

/**
 * The newest row of each key that has one, in no order. Several keys are one question, as the engine takes longer to plan a
 * question than to find one row more; a key may have a row with each block, so that they are looked for in the groups after `since`
 * first, and then by place. `older` says that there is hardly one of them: the answer is the same.
 */
export async function newestOf<Key, Row>(
  keys: ReadonlyMap<string, Key>,
  since: number | 'older',
  { nameOf, one, together }: KeyReads<Key, Row>,
): Promise<Row[]> {
  const older = async (some: readonly Key[]): Promise<Row[]> =>
    some.length > MOST_POINT_READS ? together(some, 'by place') : (await Promise.all(some.map(one))).flat();
  const all = [...keys.values()];
  if (all.length < 2 || since === 'older') return older(all);
  const recent = await together(all, { since });
  if (since === 0) return recent;
  const known = new Set(recent.map(nameOf));
  const others = [...keys].flatMap(([name, key]) => (known.has(name) ? [] : [key]));
  const rest = await older(others);
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

/** Up to so many ids are named one by one, which takes less to plan than a list that is read like a table. */
const MOST_NAMED = 8;

/** Rows of these ids; the names of the parameters begin with `name`. */
export function ofIds(column: string, ids: readonly Hex[], name = 'id'): Condition {
  const [only] = ids;
  if (ids.length === 1) return { sql: `${column} = unhex({${name}:String})`, params: { [name]: only! } };
  if (ids.length > MOST_NAMED) {
    return {
      sql: `${column} IN (SELECT unhex(arrayJoin({${name}s:Array(String)})))`,
      params: { [`${name}s`]: [...ids] },
    };
  }
  const named = ids.map((id, index) => [`${name}_${index}`, id] as const);
  const list = named.map(([each]) => `unhex({${each}:String})`).join(', ');
  return { sql: ids.length === 0 ? 'false' : `${column} IN (${list})`, params: Object.fromEntries(named) };
}

/** Of the rows that a condition lets through those that the look is for; `keys` are columns of the table's order before `seq`. */
export function looked(table: string, keys: string, rows: string, look: Look): string {
  if (look !== 'by place') return look.since > 0 ? `${rows} AND seq > ${look.since}` : rows;
  // Rows of one place are visible together.
  return `(${keys}, seq) IN (SELECT ${keys}, max(seq) FROM ${table} WHERE ${rows} GROUP BY ${keys})`;
}

/** The newest visible row of each key that has one, in no order; `older` where the newest groups are known to have none of them: the answer is the same. */
export async function newestRows<Row extends object>(
  tables: MarketTables,
  { table, key, columns, long }: KeyedTable,
  rows: Condition,
  ids: readonly Hex[],
  older = false,
): Promise<Row[]> {
  const from = `${tables.database}.${table}`;
  const read = (asked: readonly Hex[], order: string, look: Look = { since: 0 }): Promise<Row[]> => {
    const { sql, params } = ofIds(key, asked);
    return tables.store.query<Row>(
      `SELECT ${columns} FROM ${from} WHERE ${looked(from, key, `${rows.sql} AND ${sql}`, look)}
       ORDER BY ${order} ${POINT_READ}`,
      { ...rows.params, ...params },
    );
  };
  const since = older ? 'older' : long ? tables.recentSince({ seq: Number(rows.params.view_seq) }) : 0;
  return newestOf<Hex, Row>(new Map(ids.map((id) => [id, id])), since, {
    nameOf: (row) => (row as Record<string, string>)[`${key}_hex`]!,
    // Backwards from the end of the key.
    one: (id) => read([id], 'seq DESC LIMIT 1'),
    together: (some, look) => inPieces(some, (piece) => read(piece, `${key}, seq DESC LIMIT 1 BY ${key}`, look)),
  });
}
