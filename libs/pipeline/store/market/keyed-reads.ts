import { parseDecimal } from '#libs/core/money.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import {
  boundsOf,
  type KeyBounds,
  type KeyedRow,
  type KeyField,
  keysWithin,
  type ValueField,
} from '#libs/pipeline/projections/keyed-form.js';
import { snakeCase } from '#libs/pipeline/projections/table.js';
import type { QueryValue } from '../store.js';
import { inPieces, MOST_IN_STATEMENT } from './id-pieces.js';
import type { MarketTables } from './market-tables.js';
import { type Look, looked, newestOf, ofIds, POINT_READ } from './newest-rows.js';
import { type View, visible } from './view.js';

/**
 * Rows by one value, the largest first, then in key order; those without any are left out. With `less` by the one less the other,
 * which may be below zero: then every row.
 */
export interface Rank {
  readonly by: string;
  readonly less?: string;
  readonly limit: number;
  /** A part of the key: the first `limit` rows of each of its values, the values in their order. */
  readonly each?: string;
}

/** More keys than this are looked for like a range. */
const MOST_KEYS = 1_000;

/** The newest visible row of each key within bounds. Without a rank zeros are included: a row of zeros hides what was before. */
export async function keyedRows(
  tables: MarketTables,
  view: View,
  fold: KeyedFold,
  bounds: KeyBounds,
  rank?: Rank,
): Promise<KeyedRow[]> {
  const long = rank === undefined || rank.each !== undefined ? longList(fold, bounds, rank?.each) : null;
  if (long !== null) {
    const found = await inPieces(long.values, (piece) =>
      keyedRows(tables, view, fold, { ...bounds, [long.name]: { in: piece } }, rank),
    );
    return rank === undefined ? inKeyOrder(fold, found) : found;
  }
  const read = (given: Partial<Asked> = {}) =>
    readRows(tables, fold, { view, bounds, rank, look: { since: 0 }, one: false, ...given });
  const keys = rank === undefined ? keysWithin(fold.form, bounds, MOST_KEYS) : null;
  if (keys === null) return read();
  const named = new Map<string, KeyedRow>(keys.map((key) => [fold.keyOf(key), key]));
  const since = fold.fewRows ? 0 : tables.recentSince(view);
  const found = await newestOf<KeyedRow, KeyedRow>(named, since, {
    nameOf: (row) => fold.keyOf(row),
    one: (key) =>
      read({
        bounds: Object.fromEntries(fold.form.key.map(({ name }) => [name, { is: key[name] as string }])),
        one: true,
      }),
    together: (some, look) => read({ bounds: boundsOf(fold.form, bounds, some), look }),
  });
  return inKeyOrder(fold, found);
}

const inKeyOrder = (fold: KeyedFold, rows: KeyedRow[]): KeyedRow[] =>
  rows.sort((a, b) => (fold.keyOf(a) < fold.keyOf(b) ? -1 : 1));

/** A part of the key of which bounds name more values than one statement has. Where rows are ranked within each of a part, only that. */
function longList({ form }: KeyedFold, bounds: KeyBounds, each?: string): { name: string; values: string[] } | null {
  for (const { name } of form.key) {
    const bound = bounds[name];
    if (bound === undefined || !('in' in bound) || (each !== undefined && each !== name)) continue;
    if (bound.in.length > MOST_IN_STATEMENT) return { name, values: [...new Set(bound.in)].sort() };
  }
  return null;
}

interface Asked {
  view: View;
  bounds: KeyBounds;
  rank: Rank | undefined;
  look: Look;
  /** The bounds are one key. */
  one: boolean;
}

async function readRows(
  tables: MarketTables,
  fold: KeyedFold,
  { view, bounds, rank, look, one }: Asked,
): Promise<KeyedRow[]> {
  const { form } = fold;
  const rows = visible(view);
  const conditions = [rows.sql];
  const params: Record<string, QueryValue> = { ...rows.params };
  for (const { name, kind } of form.key) {
    const bound = bounds[name];
    if (bound === undefined) continue;
    const column = snakeCase(name);
    if ('in' in bound) {
      const texts = { sql: `${column} IN {key_${name}:Array(String)}`, params: { [`key_${name}`]: [...bound.in] } };
      const named = kind === 'id' ? ofIds(column, bound.in, `key_${name}`) : texts;
      conditions.push(named.sql);
      Object.assign(params, named.params);
      continue;
    }
    const [sign, value] = 'from' in bound ? ['>=', bound.from] : ['=', bound.is];
    const parameter = `{key_${name}:${kind === 'unsigned' ? 'UInt64' : 'String'}}`;
    conditions.push(`${column} ${sign} ${kind === 'id' ? `unhex(${parameter})` : parameter}`);
    params[`key_${name}`] = value;
  }
  const keys = form.key.map(({ name }) => snakeCase(name)).join(', ');
  const fields = [...form.key, ...form.values];
  const columns = fields.map((field) => `${fieldText(field)} AS ${field.name}_text`);
  const order = one ? 'seq DESC LIMIT 1' : `${keys}, seq DESC LIMIT 1 BY ${keys}`;
  const from = `${tables.database}.${tableFor(fold, bounds)}`;
  const newest = `FROM ${from} WHERE ${looked(from, keys, conditions.join(' AND '), look)} ORDER BY ${order}`;
  if (rank !== undefined) params.rank_limit = rank.limit;
  const found = await tables.store.query<Record<string, string>>(
    `SELECT ${columns.join(', ')} ${rank === undefined ? newest : `FROM (SELECT * ${newest}) ${ranked(fold, rank, keys)}`}
     ${POINT_READ}`,
    params,
  );
  return found.map((texts) => {
    const row: Record<string, string | number | bigint> = {};
    for (const field of fields) row[field.name] = fieldOf(field, texts[`${field.name}_text`]!);
    return row;
  });
}

function ranked({ form }: KeyedFold, { by, less, each }: Rank, keys: string): string {
  const nothing = form.values
    .filter(({ older }) => older === undefined)
    .map(({ name }) => `${snakeCase(name)} = 0`)
    .join(' AND ');
  const [counts, value] =
    less === undefined
      ? [`${snakeCase(by)} > 0`, snakeCase(by)]
      : [`NOT (${nothing})`, `${snakeCase(by)} - ${snakeCase(less)}`];
  const [first, of] = each === undefined ? ['', ''] : [`${snakeCase(each)}, `, ` BY ${snakeCase(each)}`];
  return `WHERE ${counts} ORDER BY ${first}${value} DESC, ${keys} LIMIT {rank_limit:UInt64}${of}`;
}

type Field = KeyField | ValueField;

/** The expression of a field's text, which `fieldOf` reads. */
export function fieldText(field: Field): string {
  return field.kind === 'id' ? `lower(hex(${columnOf(field)}))` : `toString(${columnOf(field)})`;
}

/** The expression of a field's value, in tables of the version before too. */
export function columnOf(field: Field): string {
  const column = snakeCase(field.name);
  return 'older' in field ? `coalesce(COLUMNS('^${column}$'), ${field.older})` : column;
}

export function fieldOf({ kind, column }: Field, text: string): string | number | bigint {
  if (kind === 'amount') return column === 'sumE18' ? parseDecimal(text, 18) : BigInt(text);
  return kind === 'unsigned' ? Number(text) : text;
}

/** The table whose order begins with a part of the key that is given. */
function tableFor({ table, form, copies }: KeyedFold, bounds: KeyBounds): string {
  const given = (column: string | undefined): boolean =>
    form.key.some(({ name }) => {
      const bound = bounds[name];
      return bound !== undefined && !('from' in bound) && snakeCase(name) === column;
    });
  if (given(snakeCase(form.key[0]!.name))) return table;
  return copies.find(({ orderBy }) => given(orderBy[0]))?.name ?? table;
}
