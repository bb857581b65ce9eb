import type { Hex } from '#libs/core/ids.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import { idsNamed, type KeyBounds, type KeyedRow, withinBounds } from '#libs/pipeline/projections/keyed-form.js';
import type { Rank } from '#libs/pipeline/store/market/keyed-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import type { HotState } from './hot-states.js';
import { ROW_BYTES } from './newest-row.js';

/** Rows of one id that are held at most. */
export const MOST_ROWS = 5_000;

/** A field of the key that is an id, and the one value that bounds give it. */
export interface OneId {
  readonly name: string;
  readonly id: Hex;
}

export function oneIdOf({ form }: KeyedFold, bounds: KeyBounds): OneId | null {
  const named = idsNamed(form, bounds, 1);
  return named === null ? null : { name: named.name, id: named.of[0]! };
}

/** Rows of a projection in a group that have the id. */
const rowsOf = (group: TailGroup, fold: KeyedFold, { name, id }: OneId): readonly KeyedRow[] =>
  group.keyedRowsOf(fold.member, name, id);

/** Every row within bounds, zeros included. */
export class KeyedRange implements HotState {
  private readonly rows: Map<Hex, KeyedRow>;

  constructor(
    private readonly fold: KeyedFold,
    private readonly bounds: KeyBounds,
    private readonly of: OneId,
    rows: readonly KeyedRow[],
  ) {
    this.rows = new Map(rows.map((row) => [fold.keyOf(row), row]));
  }

  get bytes(): number {
    return this.rows.size * ROW_BYTES;
  }

  /** In key order. */
  all(): KeyedRow[] {
    return [...this.rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  apply(group: TailGroup): boolean {
    for (const row of rowsOf(group, this.fold, this.of)) {
      if (withinBounds(row, this.bounds)) this.rows.set(this.fold.keyOf(row), row);
    }
    return this.rows.size < 2 * MOST_ROWS;
  }
}

interface Placed {
  readonly key: Hex;
  readonly value: bigint;
  readonly row: KeyedRow;
}

const byPlace = (a: Placed, b: Placed): number => {
  if (a.value !== b.value) return a.value > b.value ? -1 : 1;
  return a.key < b.key ? -1 : a.key === b.key ? 0 : 1;
};

/** The first rows by a value within bounds. Invariant: none that is left out comes before `end`; none is left out without one. */
export class KeyedRank implements HotState {
  private rows: Placed[];
  private end: Placed | null;
  private readonly capacity: number;

  constructor(
    private readonly fold: KeyedFold,
    private readonly bounds: KeyBounds,
    private readonly of: OneId,
    private readonly rank: Pick<Rank, 'by' | 'less'>,
    rows: readonly KeyedRow[],
    complete: boolean,
  ) {
    this.rows = rows.map((row) => this.place(row));
    this.end = complete ? null : (this.rows.at(-1) ?? null);
    this.capacity = Math.max(rows.length, 64);
  }

  get bytes(): number {
    return this.rows.length * (ROW_BYTES + 160);
  }

  /** Null where more are wanted than are held. */
  first(limit: number): KeyedRow[] | null {
    if (this.end !== null && this.rows.length < limit) return null;
    return this.rows.slice(0, limit).map(({ row }) => row);
  }

  apply(group: TailGroup): boolean {
    for (const row of rowsOf(group, this.fold, this.of)) {
      if (!withinBounds(row, this.bounds)) continue;
      const placed = this.place(row);
      const known = this.rows.findIndex(({ key }) => key === placed.key);
      if (known >= 0) this.rows.splice(known, 1);
      if (!this.counts(placed) || (this.end !== null && byPlace(placed, this.end) > 0)) continue;
      const at = this.rows.findIndex((other) => byPlace(placed, other) < 0);
      this.rows.splice(at < 0 ? this.rows.length : at, 0, placed);
    }
    if (this.rows.length > 2 * this.capacity) {
      this.rows.length = this.capacity;
      this.end = this.rows.at(-1)!;
    }
    return true;
  }

  private counts({ value, row }: Placed): boolean {
    return this.rank.less === undefined ? value > 0n : !this.fold.isNothing(row);
  }

  private place(row: KeyedRow): Placed {
    const { by, less } = this.rank;
    const value = BigInt(row[by]!) - (less === undefined ? 0n : BigInt(row[less]!));
    return { key: this.fold.keyOf(row), value, row };
  }
}
