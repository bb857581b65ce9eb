import type { Hex } from '#libs/core/ids.js';
import { ByteReader } from '#libs/protocol/codec/byte-reader.js';
import { ByteWriter } from '#libs/protocol/codec/byte-writer.js';
import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { ColumnType } from './table.js';

/** A part of a key. Texts have one order with their bytes, numbers with their value. */
export interface KeyField {
  readonly name: string;
  readonly kind: 'id' | 'label' | 'unsigned';
  readonly column: ColumnType;
}

/** A part of a value. Each has a zero, the empty text of an id or a label; a row of zeros is no row. */
export interface ValueField {
  readonly name: string;
  readonly kind: 'amount' | 'unsigned' | 'id' | 'label';
  readonly column: ColumnType;
}

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

/** The forms of a keyed projection's rows: in facts, as key and as value of the state. */
export interface KeyedForm {
  readonly key: readonly KeyField[];
  readonly values: readonly ValueField[];
}

export function keyOf({ key }: KeyedForm, row: KeyedRow): Hex {
  return key.map(({ name, kind }) => KEY_PARTS[kind].write(row[name] as never)).join('');
}

/** The row of a key without a value. */
export function zeroRow({ key, values }: KeyedForm, hex: Hex): KeyedRow {
  const row: Record<string, string | number | bigint> = {};
  let at = 0;
  for (const { name, kind } of key) {
    const part = KEY_PARTS[kind];
    const digits = part.digits(hex, at);
    row[name] = part.read(hex.slice(at, at + digits));
    at += digits;
  }
  for (const { name, kind } of values) row[name] = ZEROS[kind];
  return row;
}

const ZEROS: Readonly<Record<ValueField['kind'], string | number | bigint>> = {
  amount: 0n,
  unsigned: 0,
  id: '',
  label: '',
};

export const isZero = ({ values }: KeyedForm, row: KeyedRow): boolean =>
  values.every(({ name, kind }) => row[name] === ZEROS[kind]);

export const sameValues = ({ values }: KeyedForm, a: KeyedRow, b: KeyedRow): boolean =>
  values.every(({ name }) => a[name] === b[name]);

/** In facts: one row after the other, all fields of each. */
export function writeRows(out: GroupWriter, { key, values }: KeyedForm, rows: readonly KeyedRow[]): void {
  out.varuint(rows.length);
  for (const row of rows) {
    for (const field of key) writeField(out, field, row);
    for (const field of values) writeField(out, field, row);
  }
}

export function readRows(input: GroupReader, { key, values }: KeyedForm): KeyedRow[] {
  return Array.from({ length: input.count(key.length + values.length) }, () => {
    const row: Record<string, string | number | bigint> = {};
    for (const field of key) row[field.name] = readField(input, field);
    for (const field of values) row[field.name] = readField(input, field);
    return row;
  });
}

/** In the state: the key, then the values, so that a row is whole without its place. */
export function encodeRow(form: KeyedForm, row: KeyedRow): Uint8Array {
  state.reset();
  const key = keyOf(form, row);
  state.varuint(key.length / 2);
  state.hex(key);
  for (const field of form.values) writeField(state, field, row);
  return state.written();
}

export function decodeRow(form: KeyedForm, bytes: Uint8Array): KeyedRow {
  const input = new StateReader(bytes, 'keyed row');
  const row = { ...zeroRow(form, input.hex(input.varuint())) };
  for (const field of form.values) row[field.name] = readField(input, field);
  input.expectEnd();
  return row;
}

/** Where a group has dictionaries of ids and labels, a row of the state has them in place. */
class StateWriter extends ByteWriter {
  id(id: Hex): void {
    this.varuint(id.length / 2);
    this.hex(id);
  }

  label(label: string): void {
    this.text(label);
  }
}

class StateReader extends ByteReader {
  id(): Hex {
    return this.hex(this.varuint());
  }

  label(): string {
    return this.text();
  }
}

/** Used again by each encoding: the state copies what it gets before it asks for the next. */
const state = new StateWriter();

type Field = Pick<KeyField | ValueField, 'name' | 'kind'>;

function writeField(out: GroupWriter | StateWriter, { name, kind }: Field, row: KeyedRow): void {
  if (kind === 'amount') out.unsigned(row[name] as bigint);
  else if (kind === 'unsigned') out.varuint(row[name] as number);
  else if (kind === 'id') out.id(row[name] as Hex);
  else out.label(row[name] as string);
}

function readField(input: GroupReader | StateReader, { kind }: Field): string | number | bigint {
  if (kind === 'amount') return input.unsigned();
  if (kind === 'unsigned') return input.varuint();
  return kind === 'id' ? input.id() : input.label();
}

interface KeyPart {
  write(value: never): Hex;
  /** Length of the part that begins there. */
  digits(hex: Hex, at: number): number;
  read(hex: Hex): string | number;
}

/** Ids and labels go with their length, for they have several. */
const KEY_PARTS: Readonly<Record<KeyField['kind'], KeyPart>> = {
  id: { write: (id: Hex) => sized(id), digits: sizedDigits, read: (hex) => hex.slice(2) },
  label: {
    write: (label: string) => labelKeys.get(label) ?? labelKey(label),
    digits: sizedDigits,
    read: (hex) => Buffer.from(hex.slice(2), 'hex').toString('utf8'),
  },
  unsigned: {
    write: (value: number) => value.toString(16).padStart(14, '0'),
    digits: () => 14,
    read: (hex) => Number.parseInt(hex, 16),
  },
};

/** Of the labels that come again and again. */
const labelKeys = new Map<string, Hex>();
const MOST_LABELS = 1_000;

function labelKey(label: string): Hex {
  const key = sized(Buffer.from(label, 'utf8').toString('hex'));
  if (labelKeys.size >= MOST_LABELS) labelKeys.clear();
  labelKeys.set(label, key);
  return key;
}

const sized = (hex: Hex): Hex => (hex.length / 2).toString(16).padStart(2, '0') + hex;

function sizedDigits(hex: Hex, at: number): number {
  return 2 + 2 * Number.parseInt(hex.slice(at, at + 2), 16);
}
