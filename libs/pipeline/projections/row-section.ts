import type { KeyedRow } from './keyed-form.js';
import { compileRowsCodec, type RowField, type RowsCodec } from './row-codec.js';
import type { SectionSpec } from './section.js';
import { type ColumnType, type JournalColumn, snakeCase } from './table.js';

/** A field of a section and its column, which has the field's name in snake case. */
export interface ColumnField extends RowField {
  readonly column: ColumnType;
}

interface RowSection {
  readonly section: SectionSpec;
  readonly columns: JournalColumn[];
}

/** A section of blocks and retractions whose rows have one form in facts and in their table: all fields of a row, then the next row. */
export function rowSection(
  spec: Pick<SectionSpec, 'name' | 'version' | 'member' | 'absentIfEmpty'>,
  fields: readonly ColumnField[],
  codec: RowsCodec = compileRowsCodec(fields),
): RowSection {
  return {
    section: {
      ...spec,
      groups: ['block', 'retract'],
      layout: 'rows',
      fields: fields.map(({ name, kind }) => ({ name, kind })),
      write: (out, rows) => codec.writeRows(out, rows as readonly KeyedRow[]),
      read: (input) => codec.readRows(input),
    },
    columns: fields.map(({ name, column }) => ({ name: snakeCase(name), type: column, from: name })),
  };
}
