import { mapYielding } from '#libs/core/for-each-yielding.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import { snakeCase } from '#libs/pipeline/projections/table.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { PriceFact, SetApart } from '#libs/protocol/facts.js';
import { type QueryValue, SCAN } from '../store.js';
import { fieldOf, fieldText } from './keyed-reads.js';
import type { MarketTables } from './market-tables.js';
import { BACKING } from './price-reads.js';
import { scaled } from './trade-reads.js';
import { type Condition, type View, visible } from './view.js';

/**
 * Reads over every token or pool of a chain at once: the newest visible row of each key, in one statement each. A caller
 * that has the rows up to some block asks only for what came after it.
 */
export interface Above {
  seq: number;
  /** Time of the block with that seq (Unix ms): rows above it are not older. */
  time: number;
}

/** Keys of one statement: from the first on and below the second, which null leaves open. */
export interface KeyRange {
  from: Hex;
  below: Hex | null;
}

/** Ranges end at first bytes of keys. */
const MOST_RANGES = 256;

/** Ranges over all keys of a table, each of about so many rows: a statement has a bound, and what was read is kept. */
export async function keyRanges(tables: MarketTables, table: string, rowsPerRange: number): Promise<KeyRange[]> {
  const [found] = await tables.store.query<{ stored: string }>(
    'SELECT sum(rows) AS stored FROM system.parts WHERE database = {database:String} AND table = {table:String} AND active',
    { database: tables.database, table },
  );
  const count = Math.min(MOST_RANGES, Math.max(1, Math.ceil(Number(found?.stored ?? 0) / rowsPerRange)));
  const edge = (index: number): Hex =>
    index === 0
      ? ''
      : Math.floor((index * MOST_RANGES) / count)
          .toString(16)
          .padStart(2, '0');
  return Array.from({ length: count }, (_, index) => ({
    from: edge(index),
    below: index + 1 === count ? null : edge(index + 1),
  }));
}

export async function allTokens(
  tables: MarketTables,
  view: View,
  above: Above | null,
  keys?: KeyRange,
): Promise<TokenRecord[]> {
  const found = await newestOfAll<StoredToken>(
    tables,
    { table: 'tokens', key: 'token', columns: ['decimals', 'symbol', 'name', 'total_supply'] },
    from(visible(view), above),
    keys,
  );
  return mapYielding(found, ({ id, decimals, symbol, name, total_supply }) => ({
    ...{ token: id, decimals, symbol, name },
    totalSupply: total_supply === null ? null : BigInt(total_supply),
  }));
}

export async function allPools(
  tables: MarketTables,
  view: View,
  above: Above | null,
  keys?: KeyRange,
): Promise<PoolRecord[]> {
  const columns = ['venue', 'kind', 'lower(hex(token0))', 'lower(hex(token1))', 'fee_ppm', 'tick_spacing', 'created'];
  const found = await newestOfAll<StoredPool>(
    tables,
    { table: 'pools', key: 'pool', columns },
    from(visible(view), above),
    keys,
  );
  return mapYielding(found, (row) => ({
    pool: row.id,
    venue: row.venue,
    kind: row.kind,
    token0: row['lower(hex(token0))'],
    token1: row['lower(hex(token1))'],
    feePpm: row.fee_ppm,
    tickSpacing: row.tick_spacing,
    created: row.created,
  }));
}

export interface PoolAmounts {
  pool: Hex;
  reserve0: bigint;
  reserve1: bigint;
  setApart: SetApart | null;
}

export async function allPoolAmounts(
  tables: MarketTables,
  view: View,
  above: Above | null,
  keys?: KeyRange,
): Promise<PoolAmounts[]> {
  const found = await newestOfAll<Record<'id' | 'reserve0' | 'reserve1', string> & { set_apart: SetApart | '' }>(
    tables,
    { table: 'pool_states', key: 'pool', columns: ['reserve0', 'reserve1', 'set_apart'] },
    from(visible(view), above),
    keys,
  );
  return mapYielding(found, (row) => ({
    ...{ pool: row.id, reserve0: BigInt(row.reserve0), reserve1: BigInt(row.reserve1) },
    setApart: row.set_apart === '' ? null : row.set_apart,
  }));
}

/** What prices a token. */
export type TokenSpot = PriceFact;

/** Rows of blocks with `after` < time ≤ `upTo` (Unix ms). */
export interface TimeSpan {
  after: number;
  upTo: number;
}

export async function allSpots(
  tables: MarketTables,
  view: View,
  of: Above | TimeSpan | null,
  keys?: KeyRange,
): Promise<TokenSpot[]> {
  const rows = of !== null && 'upTo' in of ? and(visible(view), within(of)) : from(visible(view), of);
  return mapYielding(await newestOfAll<StoredSpot>(tables, SPOTS, rows, keys), spotOf);
}

const SPOTS: Newest = {
  table: 'prices',
  key: 'token',
  columns: ['lower(hex(pool))', 'lower(hex(quote))', 'spot', 'level', { name: 'backing', sql: `[${BACKING}]` }],
};

const spotOf = (row: StoredSpot): TokenSpot => {
  const backing = row.backing[0] ?? null;
  // What the backing says needs no second copy.
  const [pool, quote, spot] =
    backing === null ? [row['lower(hex(pool))'], row['lower(hex(quote))'], scaled(row.spot, 36)] : [null, null, null];
  return { token: row.id, pool, quote, spot, level: row.level, backing };
};

/** The spots of each of these times, as `allSpots` gives them, from one look where the times do not overlap. */
export async function allSpotsWithin(
  tables: MarketTables,
  view: View,
  spans: readonly TimeSpan[],
): Promise<TokenSpot[][]> {
  const wanted = spans.filter(({ after, upTo }) => upTo > after).sort((a, b) => a.after - b.after);
  const overlap = wanted.some(({ after }, index) => index > 0 && after < wanted[index - 1]!.upTo);
  if (overlap || wanted.length < 2) {
    return Promise.all(spans.map((span) => (span.upTo > span.after ? allSpots(tables, view, span) : [])));
  }
  const parts = wanted.map((span, index) => within(span, index));
  const any: Condition = {
    sql: `(${parts.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    params: Object.assign({}, ...parts.map(({ params }) => params)),
  };
  const part = `multiIf(${parts.map(({ sql }, index) => `${sql}, ${index}`).join(', ')}, 0)`;
  const found = await newestOfAll<StoredSpot & { part: number }>(tables, { ...SPOTS, part }, and(visible(view), any));
  return spans.map((span) => {
    const index = wanted.indexOf(span);
    return found.filter(({ part }) => part === index).map(spotOf);
  });
}

/** The newest row of every key of a projection whose key is one id. Rows of zeros are among them. */
export async function allKeyed(
  tables: MarketTables,
  view: View,
  { table, form }: KeyedFold,
  above: Above | null,
  keys?: KeyRange,
): Promise<KeyedRow[]> {
  const key = form.key[0]!.name;
  const expressions = form.values.map((field) => fieldText(field));
  const columns = { table, key: snakeCase(key), columns: expressions };
  const found = await newestOfAll<Record<string, string>>(tables, columns, from(visible(view), above), keys);
  return mapYielding(found, (texts) => {
    const row: Record<string, string | number | bigint> = { [key]: texts.id! };
    form.values.forEach((field, index) => {
      row[field.name] = fieldOf(field, texts[expressions[index]!]!);
    });
    return row;
  });
}

/** An expression that has another name in the rows. */
interface NamedColumn {
  readonly name: string;
  readonly sql: string;
}

const nameOf = (column: string | NamedColumn): string => (typeof column === 'string' ? column : column.name);
const textOf = (column: string | NamedColumn): string => (typeof column === 'string' ? column : column.sql);

interface Newest {
  table: string;
  key: string;
  columns: readonly (string | NamedColumn)[];
  /** Rows of each of its values have a newest one of their own, under `part`. */
  part?: string;
}

async function newestOfAll<Row>(
  tables: MarketTables,
  { table, key, columns, part }: Newest,
  visibleRows: Condition,
  keys?: KeyRange,
): Promise<Row[]> {
  const rows = keys === undefined ? visibleRows : between(visibleRows, key, keys);
  const picked = columns.map((column, index) => `newest.${index + 1} AS \`${nameOf(column)}\``);
  const [parts, groups] = part === undefined ? [[], [key]] : [['part'], [key, 'part']];
  const named = part === undefined ? [key] : [key, `${part} AS part`];
  return tables.store.query<Row>(
    `SELECT ${[`lower(hex(${key})) AS id`, ...parts, ...picked].join(', ')}
     FROM (
       SELECT ${named.join(', ')}, argMax(tuple(${columns.map(textOf).join(', ')}), seq) AS newest
       FROM ${tables.database}.${table} WHERE ${rows.sql} GROUP BY ${groups.join(', ')}
     ) SETTINGS max_threads = 1`,
    rows.params,
    SCAN,
  );
}

function between(rows: Condition, key: string, { from, below }: KeyRange): Condition {
  const lower = from === '' ? '' : ` AND ${key} >= unhex({key_from:String})`;
  const upper = below === null ? '' : ` AND ${key} < unhex({key_below:String})`;
  const params = {
    ...rows.params,
    ...(from === '' ? {} : { key_from: from }),
    ...(below === null ? {} : { key_below: below }),
  };
  return { sql: `${rows.sql}${lower}${upper}`, params };
}

function from(rows: Condition, above: Above | null): Condition {
  if (above === null) return rows;
  const params: Record<string, QueryValue> = { ...rows.params, above_seq: above.seq, above_time: above.time };
  return {
    sql: `${rows.sql} AND seq > {above_seq:Int64} AND time >= fromUnixTimestamp64Milli({above_time:Int64}, 'UTC')`,
    params,
  };
}

const and = (a: Condition, b: Condition): Condition => ({
  sql: `${a.sql} AND ${b.sql}`,
  params: { ...a.params, ...b.params },
});

/** `place` tells the conditions of one statement apart. */
function within({ after, upTo }: TimeSpan, place = 0): Condition {
  return {
    sql: `time > fromUnixTimestamp64Milli({after_time_${place}:Int64}, 'UTC')
      AND time <= fromUnixTimestamp64Milli({up_to_time_${place}:Int64}, 'UTC')`,
    params: { [`after_time_${place}`]: after, [`up_to_time_${place}`]: upTo },
  };
}

interface StoredToken {
  id: Hex;
  decimals: number | null;
  symbol: string | null;
  name: string | null;
  total_supply: string | null;
}

type StoredPool = Record<'id' | 'venue' | 'lower(hex(token0))' | 'lower(hex(token1))', string> & {
  kind: PoolRecord['kind'];
  fee_ppm: number;
  tick_spacing: number;
  created: boolean;
};

type StoredSpot = Record<'lower(hex(pool))' | 'lower(hex(quote))' | 'spot', string | null> & {
  id: Hex;
  level: number;
  /** Empty where the table has no such column. */
  backing: (string | null)[];
};
