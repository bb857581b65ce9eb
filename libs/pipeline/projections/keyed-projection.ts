import type { Hex } from '#libs/core/ids.js';
import type { ValueChange } from '#libs/pipeline/state/space.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { BlockFacts, FoldSource, KeyedFold, SpaceValues } from './keyed-fold.js';
import { formOf, type KeyedFields, type KeyedForm, type KeyedRow } from './keyed-form.js';
import type { Projection } from './projection.js';
import { compileRowCodec, type RowCodec } from './row-codec.js';
import { rowSection } from './row-section.js';
import type { SectionMember, SectionSpec } from './section.js';
import { contentOf, snakeCase, type TableCopy } from './table.js';

/** The newest rows of a keyed projection while a block is folded. */
export interface KeyedRows<Row> {
  /** The row of a key: all zeros where there is none. Of `row` only the key is looked at. */
  get(row: Partial<Row>): Row;
  set(row: Row): void;
}

/** What `fold` may read in addition. All of it follows from the blocks so far. */
export interface FoldInput extends Pick<FoldSource, 'group' | 'reference'> {
  /** The row of a key of a projection that `needs` names, this block included. */
  get<Row extends object>(projection: KeyedProjection<Row>, row: Partial<Row>): Row;
  /** The row as it was before this block. */
  before<Row extends object>(projection: KeyedProjection<Row>, row: Partial<Row>): Row;
  /** What this block changed in a projection that `needs` names. A key without a row has zeros. */
  changes<Row extends object>(projection: KeyedProjection<Row>): Iterable<{ before: Row; after: Row }>;
}

export interface KeyedSpec<Row> {
  readonly name: string;
  /** Counts changes of the form, or of what a field means. */
  readonly version: number;
  /** Where its rows are in a group of facts; in snake case the name of its table. */
  readonly member: SectionMember;
  readonly fields: KeyedFields;
  /** The version before, where it had fewer values: facts and tables of older fold versions are served with it. */
  readonly before?: {
    readonly version: number;
    /** The values that it had not, as SQL of its columns says them. */
    readonly added: Readonly<Record<string, string>>;
    /** The same of a row of facts. */
    complete(row: Row): Row;
  };
  /** Projections whose rows `fold` reads, all that it may read. They come before it in the registry. */
  readonly needs?: readonly Projection[];
  /** What a block means: reads its facts and rows, sets rows. A function of these alone. */
  fold(block: BlockFacts, rows: KeyedRows<Row>, input: FoldInput): void;
  /** Keys that the fold is going to read of a block, for what brings them from disk ahead of it. Only a hint. */
  touches?(group: BlockGroup): Iterable<Partial<Row>>;
  /** Its table in another order, for reads by another part of the key. */
  readonly copies?: readonly TableCopy[];
  /** A key gets a row with few blocks, so that all of its rows can be looked through. */
  readonly fewRows?: true;
}

/** `row` is a type and never a value. */
export type KeyedProjection<Row> = Projection & { readonly keyed: KeyedFold; readonly row?: Row };

/**
 * A projection of values by key. Section, table, state and undo follow from its fields. Invariants: what a block sets is a
 * function of the block's facts and of the rows before it; facts hold absolute rows, for a block and for a retraction alike,
 * so a reader's newest row of each key is the state of the surviving blocks.
 */
export function keyedProjection<Row extends object>(spec: KeyedSpec<Row>): KeyedProjection<Row> {
  const form = formOf(spec.fields, spec.before?.added);
  const codec = compileRowCodec(form);
  const needs = spec.needs ?? [];
  const { name, version, member } = spec;
  const table = snakeCase(member);
  const { section, columns } = rowSection(
    { name, version, member, absentIfEmpty: true },
    [...form.key, ...form.values],
    codec,
  );
  const keys = form.key.map(({ name }) => snakeCase(name));
  const zeros = form.values.map(
    ({ name, kind }) => `${snakeCase(name)} = ${kind === 'id' || kind === 'label' ? "''" : '0'}`,
  );
  return {
    name,
    needs,
    sections: [section],
    ...(spec.before && { earlier: [sectionBefore(spec, form)] }),
    journals: [
      {
        name: table,
        writtenFrom: section,
        columns,
        orderBy: [...keys, 'seq'],
        ...(spec.copies && { copies: spec.copies }),
        outcome: (database, condition) => ({
          [table]: `
            SELECT content FROM (
              SELECT argMax((${contentOf(columns)}), seq) AS content,
                argMax(${zeros.join(' AND ')}, seq) AS gone
              FROM ${database}.${table} WHERE ${condition} GROUP BY ${keys.join(', ')})
            WHERE NOT gone`,
        }),
      },
    ],
    keyed: {
      table,
      copies: spec.copies ?? [],
      fewRows: spec.fewRows ?? false,
      form,
      codec,
      member,
      space: {
        name,
        version,
        encode: codec.encode,
        decode: codec.decode,
      },
      fold(block, source) {
        spec.fold(block, rowsOver<Row>(codec, source.values(this.space)), inputOf(source, name, needs));
      },
      *touches(group) {
        for (const row of spec.touches?.(group) ?? []) yield codec.keyOf(row as KeyedRow);
      },
      rows: (changes) => changedRows(codec, changes),
      same: codec.sameValues,
      keyOf: codec.keyOf,
      isNothing: codec.isZero,
    },
  };
}

function sectionBefore<Row extends object>({ name, member, before }: KeyedSpec<Row>, form: KeyedForm): SectionSpec {
  const { version, complete } = before!;
  const fields = [...form.key, ...form.values.filter(({ older }) => older === undefined)];
  const { section } = rowSection({ name, version, member, absentIfEmpty: true }, fields);
  return { ...section, read: (input) => (section.read(input) as Row[]).map(complete) };
}

function rowsOver<Row extends object>(codec: RowCodec, state: SpaceValues): KeyedRows<Row> {
  return {
    get: (row) => (state.get(codec.keyOf(row as KeyedRow)) ?? codec.zeroOf(row as KeyedRow)) as Row,
    set(row) {
      const set = row as KeyedRow;
      state.set(codec.keyOf(set), codec.isZero(set) ? null : set);
    },
  };
}

function inputOf({ group, reference, values }: FoldSource, name: string, needs: readonly Projection[]): FoldInput {
  /** A read that is not named would work until the other projection is moved or left out. */
  const valuesOf = (projection: Projection & { keyed: KeyedFold }): SpaceValues => {
    if (!needs.includes(projection))
      throw new Error(`${name} reads ${projection.name} and does not name it in its needs`);
    return values(projection.keyed.space);
  };
  // Made for every block and projection: a literal with a spread in it takes several times as long.
  return {
    group,
    reference,
    get<Row extends object>(projection: KeyedProjection<Row>, row: Partial<Row>): Row {
      const { codec } = projection.keyed;
      return (valuesOf(projection).get(codec.keyOf(row as KeyedRow)) ?? codec.zeroOf(row as KeyedRow)) as Row;
    },
    before<Row extends object>(projection: KeyedProjection<Row>, row: Partial<Row>): Row {
      const { codec } = projection.keyed;
      return (valuesOf(projection).before(codec.keyOf(row as KeyedRow)) ?? codec.zeroOf(row as KeyedRow)) as Row;
    },
    changes<Row extends object>(projection: KeyedProjection<Row>): { before: Row; after: Row }[] {
      const { codec } = projection.keyed;
      const changed: { before: Row; after: Row }[] = [];
      for (const [key, { before, after }] of valuesOf(projection).changes())
        changed.push({ before: (before ?? codec.zeroRow(key)) as Row, after: (after ?? codec.zeroRow(key)) as Row });
      return changed;
    },
  };
}

function changedRows(codec: RowCodec, changes: ReadonlyMap<Hex, ValueChange<KeyedRow>>): KeyedRow[] {
  const rows: KeyedRow[] = [];
  for (const key of [...changes.keys()].sort()) {
    const { before, after } = changes.get(key)!;
    const now = after ?? codec.zeroRow(key);
    if (before === null ? !codec.isZero(now) : !codec.sameValues(before, now)) rows.push(now);
  }
  return rows;
}
