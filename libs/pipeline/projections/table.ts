import type { SectionSpec } from './section.js';

/** Types of columns, each with the engine's own name. An id is raw bytes. */
export const columnTypes = {
  id: 'String',
  idOrNull: 'Nullable(String)',
  word: 'LowCardinality(String)',
  textOrNull: 'Nullable(String)',
  bool: 'Bool',
  uint8: 'UInt8',
  uint8OrNull: 'Nullable(UInt8)',
  uint32: 'UInt32',
  int32: 'Int32',
  uint64: 'UInt64',
  uint256: 'UInt256',
  uint256OrNull: 'Nullable(UInt256)',
  int256: 'Int256',
  /** USD for one whole token, or a spot; null where the column cannot hold it. */
  priceE36: 'Nullable(Decimal(76, 36))',
  /** Volume of one trade; null where the column cannot hold it. */
  volumeE18: 'Nullable(Decimal(38, 18))',
  /** Volume of many trades. */
  sumE18: 'Decimal(76, 18)',
  side: "Enum8('buy' = 1, 'sell' = 2)",
  ticks: 'Array(Tuple(Int32, UInt256, Int256))',
  time: "DateTime64(3, 'UTC')",
} as const;

export type ColumnType = keyof typeof columnTypes;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface JournalColumn extends Column {
  /** Path of the field that it is written from; of a table without a section, a member of the group's head. */
  readonly from: string;
}

/** A table that a view of the engine fills with the same rows in another order. */
export interface TableCopy {
  readonly name: string;
  /** Columns that the copy has and the journal has not. */
  readonly added: readonly Column[];
  readonly orderBy: readonly string[];
  /** Rows in the copy for one row of the journal. */
  readonly rows: number;
}

/** A table as it is in the database, without what only concerns a reader of facts. */
export interface TableSpec {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
}

/** Selects of one column `content`, by a name each, for a database and a condition on visible rows. */
export type ContentSelects = (database: string, condition: string) => Record<string, string>;

/** A journal: rows that begin with `seq`, `block` and `time`, each written from a group of facts. */
export interface JournalSpec {
  readonly name: string;
  /** The section whose rows it holds, or the kind of group that gives one row each. */
  readonly writtenFrom: SectionSpec | 'block' | 'retract';
  /** Columns after the place. */
  readonly columns: readonly JournalColumn[];
  readonly orderBy: readonly string[];
  readonly copies?: readonly TableCopy[];
  /**
   * What a history leaves, whatever its course: for a keyed value the newest row of each key. Without it: the visible rows
   * themselves, of the table and of its copies. Null: nothing.
   */
  readonly outcome?: ContentSelects | null;
  /** The record of what was retracted: its own rows are never retracted. */
  readonly outlivesRetraction?: true;
}

/** What every row of a journal begins with. */
export const placeColumns: readonly Column[] = [
  { name: 'seq', type: 'uint64' },
  { name: 'block', type: 'uint64' },
  { name: 'time', type: 'time' },
];

/** One expression of SQL with these columns in order: ids as hex, so that the text of a row is readable. */
export function contentOf(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => (type === 'id' || type === 'idOrNull' ? `hex(${name})` : name)).join(', ');
}

/** The columns of some names, in the order of the names. */
export function columnsNamed(columns: readonly JournalColumn[], names: readonly string[]): JournalColumn[] {
  return names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`no column ${name}`);
    return column;
  });
}

/** The tables of a journal: itself and its copies, with all of their columns. */
export function tablesOf(journal: JournalSpec): TableSpec[] {
  const columns = [...placeColumns, ...journal.columns];
  return [
    { name: journal.name, columns, orderBy: journal.orderBy },
    ...(journal.copies ?? []).map(({ name, added, orderBy }) => ({ name, columns: [...added, ...columns], orderBy })),
  ];
}

/** The column of a field. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
