import type { Hex } from '#libs/core/ids.js';

/** Which kind of value a column of a keyed projection holds. */
const KINDS = {
  ...({ id: 'id', word: 'label', uint256: 'amount', sumE18: 'amount' } as const),
  ...({ uint8: 'unsigned', uint32: 'unsigned', uint64: 'unsigned' } as const),
};
type Kinds = typeof KINDS;
type KeyedColumn = keyof Kinds;
type Values = { id: Hex; label: string; amount: bigint; unsigned: number };

/** The fields of a keyed projection, each with its column: those of the key, then those of the value. */
export interface KeyedFields {
  readonly key: Readonly<Record<string, Exclude<KeyedColumn, 'uint256' | 'sumE18'>>>;
  readonly values: Readonly<Record<string, KeyedColumn>>;
}

/** A row of these fields. */
export type RowOf<F extends KeyedFields> = ValuesOf<F['key']> & ValuesOf<F['values']>;
type ValuesOf<F extends Readonly<Record<string, KeyedColumn>>> = {
  -readonly [Name in keyof F]: Values[Kinds[F[Name]]];
};

/** A part of a key. Texts have one order with their bytes, numbers with their value. */
export interface KeyField {
  readonly name: string;
  readonly kind: 'id' | 'label' | 'unsigned';
  readonly column: KeyedColumn;
}

/** A part of a value. Each has a zero, the empty text of an id or a label; a row of zeros is no row. */
export interface ValueField {
  readonly name: string;
  readonly kind: Kinds[KeyedColumn];
  readonly column: KeyedColumn;
  /** What it is in a table that has no such column, in SQL; only of a field that the version before had not. */
  readonly older?: string;
}

/** The older values, in SQL, are of fields that the version before had not. */
export const formOf = ({ key, values }: KeyedFields, older: Readonly<Record<string, string>> = {}): KeyedForm => ({
  key: Object.entries(key).map(([name, column]) => ({ name, kind: KINDS[column], column })),
  values: Object.entries(values).map(([name, column]) => ({
    ...{ name, kind: KINDS[column], column },
    ...(older[name] !== undefined && { older: older[name] }),
  })),
});

/** A row by the names of its fields. */
export type KeyedRow = Readonly<Record<string, string | number | bigint>>;

/** Which keys are asked for: parts that are equal to a value or to one of several texts, or numbers from one on. */
export type KeyBounds<Row = Record<string, unknown>> = {
  readonly [Name in keyof Row]?:
    | { readonly is: string | number }
    | { readonly in: readonly string[] }
    | { readonly from: number };
};

export function withinBounds(row: KeyedRow, bounds: KeyBounds): boolean {
  return Object.entries(bounds).every(([name, bound]) => {
    if (bound === undefined) return true;
    if ('is' in bound) return row[name] === bound.is;
    return 'in' in bound ? bound.in.includes(row[name] as string) : (row[name] as number) >= bound.from;
  });
}

/** The keys within bounds, by the names of their parts, where the bounds name all of them and they are at most so many; else null. */
export function keysWithin({ key }: Pick<KeyedForm, 'key'>, bounds: KeyBounds, most: number): KeyedRow[] | null {
  let keys: KeyedRow[] = [{}];
  for (const { name } of key) {
    const bound = bounds[name];
    if (bound === undefined || 'from' in bound) return null;
    const values = 'in' in bound ? [...new Set(bound.in)] : [bound.is];
    if (keys.length * values.length > most) return null;
    keys = keys.flatMap((known) => values.map((value) => ({ ...known, [name]: value })));
  }
  return keys;
}

/** The bounds with no other texts than these keys have. */
export function boundsOf({ key }: Pick<KeyedForm, 'key'>, bounds: KeyBounds, keys: readonly KeyedRow[]): KeyBounds {
  const narrowed = key.map(({ name }) => {
    const bound = bounds[name]!;
    return [name, 'in' in bound ? { in: [...new Set(keys.map((one) => one[name] as string))] } : bound];
  });
  return Object.fromEntries(narrowed);
}

/** The forms of a keyed projection's rows: in facts, as key and as value of the state. */
export interface KeyedForm {
  readonly key: readonly KeyField[];
  readonly values: readonly ValueField[];
}

/** A part of the key that is an id, and what bounds let it be: groups know their rows by it. */
export interface NamedIds {
  readonly name: string;
  readonly of: readonly Hex[];
}

/** The first part of which bounds name at most so many ids; null without one. */
export function idsNamed({ key }: KeyedForm, bounds: KeyBounds, most: number): NamedIds | null {
  for (const { name, kind } of key) {
    const bound = bounds[name];
    if (kind !== 'id' || bound === undefined || 'from' in bound) continue;
    const ids = ('is' in bound ? [bound.is] : bound.in) as readonly Hex[];
    if (ids.length <= most) return { name, of: [...new Set(ids)] };
  }
  return null;
}
