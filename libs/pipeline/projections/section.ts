import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { FactsBlock, FactsRetract } from '#libs/protocol/facts.js';

/**
 * How a section's values are written, in the words of the codec:
 * `delta` the difference to the row before; `unsigned`, `integer` varints; `byte` one byte; `flag` a boolean;
 * `id`, `label` numbers in the group's dictionaries; `amount` an unsigned amount; `repeatedAmount` an amount or null, one byte
 * when it is the one of the row before; `decimalsOrNull` 0 for null, else one more; `ticks` a list of ticks.
 */
export type FieldKind =
  | 'delta'
  | 'unsigned'
  | 'integer'
  | 'byte'
  | 'flag'
  | 'id'
  | 'idOrNull'
  | 'label'
  | 'textOrNull'
  | 'decimalsOrNull'
  | 'amount'
  | 'amountOrNull'
  | 'repeatedAmount'
  | 'ticks';

/** A value in one byte: its number in a list that only grows at its end. */
interface CodeField {
  readonly name: string;
  readonly kind: 'code';
  readonly values: readonly string[];
}

/** Fields that are there together or not at all, after a flag that says which; the object is null without them. */
interface OptionalField {
  readonly name: string;
  readonly kind: 'optional';
  readonly fields: readonly PlainField[];
}

interface PlainField {
  readonly name: string;
  readonly kind: FieldKind;
}

type Field = PlainField | CodeField | OptionalField;

type RowsOf<Group> = {
  [K in keyof Group]-?: NonNullable<Group[K]> extends readonly unknown[] ? K : never;
}[keyof Group];

/** Members of a facts group that hold rows, and the one that is a row itself. */
export type SectionMember = RowsOf<FactsBlock> | RowsOf<FactsRetract> | 'proof';

/**
 * The rows of one kind in a facts group, and their binary form: their number, then the fields. A change of the form, or of what a
 * field means, takes another version: a reader that does not know `name@version` steps over the section.
 */
export interface SectionSpec {
  readonly name: string;
  readonly version: number;
  /** Kinds of groups that have it. */
  readonly groups: readonly ('block' | 'retract')[];
  /** Name of the rows in the group's object. */
  readonly member: SectionMember;
  /** `columns`: all values of a field, then those of the next; `rows`: all fields of a row, then the next row. */
  readonly layout: 'columns' | 'rows';
  /** Without rows a group's object has no such member. */
  readonly absentIfEmpty?: true;
  /** At most one row, which a group's object has in place of a list. */
  readonly single?: true;
  readonly fields: readonly Field[];
  write(out: GroupWriter, rows: readonly unknown[]): void;
  read(input: GroupReader): unknown[];
}

/** A field without members of its own. A member of an optional field is named with its path, and may be absent. */
export interface Leaf {
  readonly path: string;
  readonly kind: FieldKind | 'code';
  readonly values: readonly string[];
  readonly optional: boolean;
}

/** Every field and member, an optional field as the flag that it begins with. */
export function leavesOf(section: SectionSpec): Leaf[] {
  return section.fields.flatMap((field): Leaf[] => {
    if (field.kind === 'code') return [{ path: field.name, kind: 'code', values: field.values, optional: false }];
    if (field.kind !== 'optional') return [{ path: field.name, kind: field.kind, values: [], optional: false }];
    return [
      { path: field.name, kind: 'flag', values: [], optional: false },
      ...field.fields.map(({ name, kind }) => ({ path: `${field.name}.${name}`, kind, values: [], optional: true })),
    ];
  });
}
