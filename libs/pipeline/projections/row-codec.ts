import { GenerationCache } from '#libs/core/generation-cache.js';
import type { Hex } from '#libs/core/ids.js';
import { ByteReader } from '#libs/protocol/codec/byte-reader.js';
import { ByteWriter } from '#libs/protocol/codec/byte-writer.js';
import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { KeyedForm, KeyedRow, KeyField, ValueField } from './keyed-form.js';

/** The forms of a keyed projection's rows: in facts, as key and as value of the state. */
export interface RowCodec {
  /** A fold asks for the key of a row several times in a row: the last one is kept, so that its hash is made once. */
  keyOf(row: KeyedRow): Hex;
  /** The row of a key without a value. */
  zeroRow(key: Hex): KeyedRow;
  /** The same for the key of a row, of which nothing else is looked at. */
  zeroOf(row: KeyedRow): KeyedRow;
  isZero(row: KeyedRow): boolean;
  /** Of two rows of one key. */
  sameValues(a: KeyedRow, b: KeyedRow): boolean;
  /** In facts: one row after the other, all fields of each. */
  writeRows(out: GroupWriter, rows: readonly KeyedRow[]): void;
  readRows(input: GroupReader): KeyedRow[];
  /** In the state: the key, then the values, so that a row is whole without its place. */
  encode(row: KeyedRow): Uint8Array;
  decode(bytes: Uint8Array): KeyedRow;
}

/** A field that is written with one call. */
export interface RowField {
  readonly name: string;
  readonly kind: ValueField['kind'] | 'idOrNull' | 'amountOrNull' | 'textOrNull' | 'byte';
}

/** The form of a section's rows in facts, made as `compileRowCodec` makes its functions. */
export type RowsCodec = Pick<RowCodec, 'writeRows' | 'readRows'>;

export const compileRowsCodec = (fields: readonly RowField[]): RowsCodec =>
  new Function(`return { ${rowsSource(fields)} };`)() as RowsCodec;

function rowsSource(fields: readonly RowField[]): string {
  for (const { name } of fields)
    if (!/^[a-z][A-Za-z0-9]*$/.test(name)) throw new Error(`${name} is no name of a field`);
  return `
      writeRows(out, rows) {
        out.varuint(rows.length);
        for (const row of rows) { ${fields.map(({ name, kind }) => `out.${CALLS[kind]}(row.${name});`).join(' ')} }
      },
      readRows(input) {
        const rows = new Array(input.count(${fields.length}));
        for (let i = 0; i < rows.length; i++) rows[i] = { ${literal(fields, ({ kind }) => `input.${CALLS[kind]}()`)} };
        return rows;
      },`;
}

const literal = <Field extends RowField>(fields: readonly Field[], value: (field: Field) => string): string =>
  fields.map((field) => `${field.name}: ${value(field)}`).join(', ');

/**
 * Functions in source form, made once from the fields of a projection: each is what one would write by hand for this row, so
 * that all rows are objects of one shape and no closure is called for a value (docs/decisions/0015). The source is made of the
 * specification's own words alone, never of data.
 */
export function compileRowCodec({ key, values }: KeyedForm): RowCodec {
  const rows = rowsSource([...key, ...values]);
  const zeros = literal(values, ({ kind }) => ZEROS[kind]);
  const ofKey = `${literal(key, ({ name }) => name)}, `;
  const both = (compare: (name: string) => string): string => values.map(({ name }) => compare(name)).join(' && ');
  const source = `
    const { sizedId, labelKey, numberKey, sizeAt, labelOf, numberOf, state, StateReader } = helpers;
    let ${key.map(({ name }) => `last_${name} = null`).join(', ')}, lastKey = '';
    function keyOf(row) {
      const { ${key.map(({ name }) => name).join(', ')} } = row;
      if (${key.map(({ name }) => `${name} === last_${name}`).join(' && ')}) return lastKey;
      lastKey = ${key.map(({ name, kind }) => `${KEY_PARTS[kind].write}(${name})`).join(' + ')};
      ${key.map(({ name }) => `last_${name} = ${name};`).join(' ')}
      return lastKey;
    }
    function zeroRow(hex) {
      ${partsOfKey(key)}
      return { ${ofKey}${zeros} };
    }
    return {
      keyOf,
      zeroRow,
      zeroOf: (row) => ({ ${literal(key, ({ name }) => `row.${name}`)}, ${zeros} }),
      isZero: (row) => ${values.map(({ name, kind }) => `row.${name} === ${ZEROS[kind]}`).join(' && ')},
      sameValues: (a, b) => ${both((name) => `a.${name} === b.${name}`)},
      ${rows.trimStart()}
      encode(row) {
        const key = keyOf(row);
        const out = state;
        out.reset();
        out.varuint(key.length / 2);
        out.hex(key);
        ${values.map(({ name, kind }) => `out.${CALLS[kind]}(row.${name});`).join(' ')}
        return out.written();
      },
      decode(bytes) {
        const input = new StateReader(bytes, 'keyed row');
        const hex = input.hex(input.varuint());
        ${partsOfKey(key)}
        const row = { ${ofKey}${literal(values, ({ kind }) => `input.${CALLS[kind]}()`)} };
        input.expectEnd();
        return row;
      },
    };`;
  return new Function('helpers', source)(helpers) as RowCodec;
}

/** Declares a variable for each field of the key that \`hex\` holds. */
function partsOfKey(key: readonly KeyField[]): string {
  let at = '0';
  return key
    .map(({ name, kind }) => {
      const from = at;
      at = `end_${name}`;
      return `const ${at} = ${from} + ${KEY_PARTS[kind].digits(from)};
      const ${name} = ${KEY_PARTS[kind].read(from, at)};`;
    })
    .join('\n      ');
}

const ZEROS: Readonly<Record<ValueField['kind'], string>> = { amount: '0n', unsigned: '0', id: "''", label: "''" };
/** Writer and reader of a value have one name. */
const CALLS: Readonly<Record<RowField['kind'], string>> = {
  ...{ amount: 'unsigned', unsigned: 'varuint', id: 'id', label: 'label' },
  ...{ amountOrNull: 'unsignedOrNull', idOrNull: 'idOrNull', textOrNull: 'textOrNull', byte: 'u8' },
};

interface KeyPart {
  /** Name of the function that writes it. */
  readonly write: string;
  /** Number of digits of the part that begins there. */
  digits(at: string): string;
  read(from: string, to: string): string;
}

/** Ids and labels go with their length, for they have several. */
const KEY_PARTS: Readonly<Record<KeyField['kind'], KeyPart>> = {
  id: {
    write: 'sizedId',
    digits: (at) => `2 + 2 * sizeAt(hex, ${at})`,
    read: (from, to) => `hex.slice(${from} + 2, ${to})`,
  },
  label: {
    write: 'labelKey',
    digits: (at) => `2 + 2 * sizeAt(hex, ${at})`,
    read: (from, to) => `labelOf(hex.slice(${from} + 2, ${to}))`,
  },
  unsigned: {
    write: 'numberKey',
    digits: () => '14',
    read: (from, to) => `numberOf(hex.slice(${from}, ${to}))`,
  },
};

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

const sizes = Array.from({ length: 256 }, (_, bytes) => bytes.toString(16).padStart(2, '0'));

function sizedId(hex: Hex): Hex {
  const size = sizes[hex.length >>> 1];
  if (size === undefined) throw new Error(`a part of a key has ${hex.length / 2} bytes: 255 at most`);
  return size + hex;
}

/** Of the labels that come again and again. */
const labelKeys = new GenerationCache<string, Hex>(500, (label) => sizedId(Buffer.from(label, 'utf8').toString('hex')));

const helpers = {
  ...{ sizedId, StateReader },
  labelKey: (label: string): Hex => labelKeys.get(label),
  numberKey: (value: number): Hex => value.toString(16).padStart(14, '0'),
  sizeAt: (hex: Hex, at: number): number => Number.parseInt(hex.slice(at, at + 2), 16),
  labelOf: (hex: Hex): string => Buffer.from(hex, 'hex').toString('utf8'),
  numberOf: (hex: Hex): number => Number.parseInt(hex, 16),
  /** Used again by each encoding: the state copies what it gets before it asks for the next. */
  state: new StateWriter(),
};
