import { type FieldKind, type Leaf, leavesOf, type SectionSpec } from '#libs/pipeline/projections/section.js';
import type { ColumnType, JournalColumn } from '#libs/pipeline/projections/table.js';
import type { PlaceReader } from '#libs/protocol/codec/place-reader.js';
import type { RowBuffer } from '../row-buffer.js';
import * as helpers from './place-columns.js';

/** Writes the rows of a section into its table's buffer, each after `place`; answers their number. */
export type WriteRows = (input: PlaceReader, begin: (rows: number) => RowBuffer, place: Uint8Array) => number;

/**
 * A function in source form, made once from the specifications of a section and of its journal: the loops that one would write
 * by hand for this table, without a call through a closure for each value (docs/decisions/0015). The source is made of the
 * specifications' own words alone, never of data. Without columns it reads the section and writes nothing.
 */
export function compileRows(section: SectionSpec, columns: readonly JournalColumn[] | null): WriteRows {
  const leaves = leavesOf(section).map((leaf, index): Slot => ({ ...leaf, name: `f${index}` }));
  const body = section.layout === 'columns' ? byColumns(leaves, columns) : byRows(leaves, columns);
  const source = `
    const { ${Object.keys(helpers).join(', ')} } = helpers;
    const ticks = [0];
    return function ${section.member}Rows(input, begin, place) {
      const count = input.count(${section.fields.length});
      if (count === 0) return 0;
      const { source, labels } = input;
      ${columns === null ? '' : 'const row = begin(count);'}
      ${body}
      return count;
    };`;
  return new Function('helpers', 'codes', 'memory', source)(
    helpers,
    leaves.map(({ values }) => values),
    leaves.map(() => ({ values: new Float64Array(0) })),
  ) as WriteRows;
}

interface Slot extends Leaf {
  /** Name of its variable. */
  readonly name: string;
}

/** Reads all values of each field, then writes row by row. */
function byColumns(slots: readonly Slot[], columns: readonly JournalColumn[] | null): string {
  const read = slots.map((slot, index) => {
    if (slot.optional) throw new Error(`${slot.path}: an optional field needs the layout of rows`);
    return `
      const ${slot.name} = room(memory[${index}], count, ${holdsPlaces(slot)});
      for (let i = 0, before = ${slot.kind === 'repeatedAmount' ? -1 : 0}; i < count; i++) {
        ${slot.name}[i] = before = ${readOf(slot, 'before')};
      }`;
  });
  if (columns === null) return read.join('');
  return `${read.join('')}
      for (let i = 0; i < count; i++) {
        row.place(place);
        ${writes(slots, columns, (slot) => `${slot.name}[i]`)}
      }`;
}

/** Reads and writes row by row. */
function byRows(slots: readonly Slot[], columns: readonly JournalColumn[] | null): string {
  const before = slots.map(({ name, kind }) => `let ${name} = ${kind === 'repeatedAmount' ? -1 : 0};`);
  let flag = '';
  const read = slots.map((slot) => {
    if (!slot.optional) flag = slot.name;
    const value = readOf(slot, slot.name);
    return `${slot.name} = ${slot.optional ? `${flag} === 1 ? ${value} : 0` : value};`;
  });
  return `
      ${before.join(' ')}
      for (let i = 0; i < count; i++) {
        ticks.length = 1;
        ${read.join('\n        ')}
        ${
          columns === null
            ? ''
            : `row.place(place);
        ${writes(slots, columns, (slot) => slot.name)}`
        }
      }`;
}

function writes(slots: readonly Slot[], columns: readonly JournalColumn[], value: (slot: Slot) => string): string {
  const lines = columns.map((column) => {
    const index = slots.findIndex(({ path }) => path === column.from);
    const slot = slots[index];
    const write = slot && WRITE[`${column.type} from ${slot.kind}`];
    if (!write) throw new Error(`no column ${column.name} of type ${column.type} from ${column.from}`);
    return `${(slot.optional && WRITE_OPTIONAL[column.type]) || write};`
      .replaceAll('$', value(slot))
      .replaceAll('codes', `codes[${index}]`);
  });
  return lines.join('\n        ');
}

function readOf(slot: Slot, before: string): string {
  if (slot.kind === 'code') return `code(input, ${slot.values.length})`;
  return READ[slot.kind].replace('$', before);
}

/** Places fit in 32 bits; a number may be larger, and its column says whether it holds it. */
function holdsPlaces({ kind }: Slot): boolean {
  return kind !== 'delta' && kind !== 'unsigned' && kind !== 'integer' && kind !== 'decimalsOrNull';
}

/** The value of a field: a number, or the place of its bytes. `$`: the value before. A null is 0, which is no place. */
const READ: Record<FieldKind, string> = {
  delta: 'ordinal(input, $)',
  unsigned: 'input.varuint()',
  integer: 'input.varint()',
  byte: 'input.u8()',
  flag: 'input.flag() ? 1 : 0',
  id: 'input.id()',
  idOrNull: 'input.idOrNull()',
  label: 'input.labelIndex()',
  textOrNull: 'input.textPlaceOrNull()',
  decimalsOrNull: 'input.varuint()',
  amount: 'input.amount()',
  amountOrNull: 'input.amountOrNull()',
  repeatedAmount: 'input.amountOrRepeat($)',
  ticks: 'readTicks(input, ticks)',
};

/** What a column is given, `$` being the value of its field. */
const WRITE: Partial<Record<`${ColumnType} from ${Leaf['kind']}`, string>> = {
  'id from id': 'row.placedId(source, $)',
  'idOrNull from idOrNull': 'idOrNull(row, source, $)',
  'idOrNull from id': 'idOrNull(row, source, $)',
  'word from label': 'row.text(labels[$])',
  'word from code': 'row.text(codes[$])',
  'side from code': 'row.uint8($ + 1)',
  'textOrNull from textOrNull': 'textOrNull(row, source, $)',
  'bool from flag': 'row.bool($ === 1)',
  'bool from code': 'row.bool($ === 1)',
  'uint8 from byte': 'row.uint8($)',
  'uint8 from unsigned': 'row.uint8($)',
  'uint8OrNull from decimalsOrNull': 'decimalsOrNull(row, $)',
  'uint64 from unsigned': 'row.uint64($)',
  'uint32 from delta': 'row.uint32($)',
  'uint32 from unsigned': 'row.uint32($)',
  'int32 from unsigned': 'row.int32($)',
  'int32 from integer': 'row.int32($)',
  'uint256 from amount': 'row.placedAmount(source, $, 32)',
  'uint256OrNull from amountOrNull': 'amountOrNull(row, source, $)',
  'int256 from amount': 'row.placedSigned(source, $)',
  'priceE36 from amountOrNull': 'price(row, source, $)',
  'priceE36 from repeatedAmount': 'price(row, source, $)',
  'volumeE18 from amountOrNull': 'volume(row, source, $)',
  'sumE18 from amount': 'row.placedAmount(source, $, 32)',
  'ticks from ticks': 'writeTicks(row, source, ticks, $)',
};

/** Where 0 may mean that the field is absent. */
const WRITE_OPTIONAL: Partial<Record<ColumnType, string>> = {
  uint256: 'amountOrZero(row, source, $)',
};
