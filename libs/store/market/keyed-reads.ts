import { parseDecimal } from '#libs/core/money.js';
import type { KeyedFold } from '#libs/projections/keyed-fold.js';
import type { KeyBounds, KeyedRow } from '#libs/projections/keyed-form.js';
import { snakeCase } from '#libs/projections/table.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/** The newest visible row of each key within bounds, zeros included: a row of zeros hides what was before. */
export async function keyedRows(
  tables: MarketTables,
  view: View,
  { table, form }: KeyedFold,
  bounds: KeyBounds,
): Promise<KeyedRow[]> {
  const rows = visible(view);
  const conditions = [rows.sql];
  const params: Record<string, QueryValue> = { ...rows.params };
  for (const { name, kind } of form.key) {
    const bound = bounds[name];
    if (bound === undefined) continue;
    const [sign, value] = 'from' in bound ? ['>=', bound.from] : ['=', bound.is];
    const parameter = `{key_${name}:${kind === 'unsigned' ? 'UInt64' : 'String'}}`;
    conditions.push(`${snakeCase(name)} ${sign} ${kind === 'id' ? `unhex(${parameter})` : parameter}`);
    params[`key_${name}`] = value;
  }
  const keys = form.key.map(({ name }) => snakeCase(name)).join(', ');
  const columns = [...form.key, ...form.values].map(({ name, kind }) => {
    const column = snakeCase(name);
    return `${kind === 'id' ? `lower(hex(${column}))` : `toString(${column})`} AS ${name}_text`;
  });
  const found = await tables.store.query<Record<string, string>>(
    `SELECT ${columns.join(', ')} FROM ${tables.database}.${table} WHERE ${conditions.join(' AND ')}
     ORDER BY ${keys}, seq DESC LIMIT 1 BY ${keys} SETTINGS max_threads = 1`,
    params,
  );
  return found.map((texts) => {
    const row: Record<string, string | number | bigint> = {};
    for (const { name, kind, column } of [...form.key, ...form.values]) {
      const text = texts[`${name}_text`]!;
      if (kind === 'amount') row[name] = column === 'sumE18' ? parseDecimal(text, 18) : BigInt(text);
      else row[name] = kind === 'unsigned' ? Number(text) : text;
    }
    return row;
  });
}
