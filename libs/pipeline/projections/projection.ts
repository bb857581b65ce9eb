import type { KeyedFold } from './keyed-fold.js';
import type { SectionSpec } from './section.js';
import type { ContentSelects, JournalSpec, TableSpec } from './table.js';

/** A table that is computed from journals, not written from facts. */
export interface DerivedTable extends TableSpec {
  /** What a view sees of it, with the parameters of the view. */
  readonly content: ContentSelects;
}

/** One kind of knowledge about a chain: its section in facts and its tables. What it does not have it leaves out. */
export interface Projection {
  readonly name: string;
  readonly sections?: readonly SectionSpec[];
  /** Forms of these sections that older fold versions wrote: read while their facts are served, never written. */
  readonly earlier?: readonly SectionSpec[];
  readonly journals?: readonly JournalSpec[];
  readonly derived?: readonly DerivedTable[];
  /** Values by key that blocks change: the fold keeps them in its state. */
  readonly keyed?: KeyedFold;
  /** Projections whose rows its fold reads: they come before it in the registry. */
  readonly needs?: readonly Projection[];
}
