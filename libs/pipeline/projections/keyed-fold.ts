import type { Hex } from '#libs/core/ids.js';
import type { Space, ValueChange } from '#libs/pipeline/state/space.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { KeyedForm, KeyedRow } from './keyed-form.js';
import type { RowCodec } from './row-codec.js';
import type { SectionMember } from './section.js';
import type { TableCopy } from './table.js';

/** A block as the projections before made it. */
export type BlockFacts = Omit<FactsBlock, 'kind' | 'inputHash'>;

/** What a keyed projection may read in addition to the block's facts and its own rows. */
export interface FoldSource {
  /** The block as its source recorded it: events that facts leave out are here. */
  readonly group: BlockGroup;
  readonly reference: ReferenceSet;
  /** Rows of a projection that comes before. */
  values(space: Space<KeyedRow>): SpaceValues;
}

/** What the fold and the readers know of a keyed projection. */
export interface KeyedFold {
  readonly table: string;
  readonly form: KeyedForm;
  readonly codec: RowCodec;
  /** The same table in other orders. */
  readonly copies: readonly TableCopy[];
  /** A key has few rows in its table. */
  readonly fewRows: boolean;
  readonly member: SectionMember;
  readonly space: Space<KeyedRow>;
  fold(block: BlockFacts, source: FoldSource): void;
  /** Keys that a block's fold is going to read. Only a hint. */
  touches(group: BlockGroup): Iterable<Hex>;
  /** Rows of the keys that were touched, as they are now: those that differ, in key order; zeros where a key has no row. */
  rows(changes: ReadonlyMap<Hex, ValueChange<KeyedRow>>): KeyedRow[];
  same(a: KeyedRow, b: KeyedRow): boolean;
  keyOf(row: KeyedRow): Hex;
  /** A row of zeros says that its key has none. */
  isNothing(row: KeyedRow): boolean;
}

/** A space of the keyed state while a block is open. */
export interface SpaceValues {
  get(key: Hex): KeyedRow | null;
  /** As it was before the block. */
  before(key: Hex): KeyedRow | null;
  set(key: Hex, value: KeyedRow | null): void;
  /** What the block has changed so far, in the order in which the keys were first set. */
  changes(): Iterable<[Hex, ValueChange<KeyedRow>]>;
}
