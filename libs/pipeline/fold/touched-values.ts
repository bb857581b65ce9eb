import type { Hex } from '#libs/core/ids.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import { keyedFolds } from '#libs/pipeline/projections/registry.js';
import type { Changes } from '#libs/pipeline/state/changes.js';
import type { KeyedSpace } from '#libs/pipeline/state/keyed-space.js';
import type { Space, ValueChange } from '#libs/pipeline/state/space.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { sameRecord } from './filled-in.js';
import {
  type HeadValue,
  headSpace,
  poolSpace,
  type SavedToken,
  THE_ONE_KEY,
  tickSpace,
  tokenSpace,
} from './fold-spaces.js';
import type { FoldStore } from './fold-store.js';
import { type KeyedChanges, keyedSpaces } from './keyed-folds.js';
import { type SavedPool, sameScalars } from './pool-scalars.js';
import { samePrice, type Touched } from './state-facts.js';
import { sameTick } from './undo.js';

/** What one step back touched. */
export const touchedBy = (changes: Changes): Touched => ({
  pools: changes.of(poolSpace),
  ticks: changes.of(tickSpace),
  tokens: changes.of(tokenSpace),
  head: changes.of(headSpace).get(THE_ONE_KEY),
});

/** The same over several steps: what was first, and what is last. */
export class TouchedValues implements Touched, KeyedChanges {
  readonly pools = new Map<Hex, ValueChange<SavedPool>>();
  readonly ticks = new Map<Hex, ValueChange<TickRecord>>();
  readonly tokens = new Map<Hex, ValueChange<SavedToken>>();
  head: ValueChange<HeadValue> | undefined = undefined;
  private readonly keyed = new Map(keyedSpaces.map((space) => [space, new Map<Hex, ValueChange<KeyedRow>>()]));

  of(space: Space<KeyedRow>): Map<Hex, ValueChange<KeyedRow>> {
    return this.keyed.get(space)!;
  }

  add(changes: Changes): void {
    const { pools, ticks, tokens, head } = touchedBy(changes);
    for (const [key, change] of pools) join(this.pools, key, change);
    for (const [key, change] of ticks) join(this.ticks, key, change);
    for (const [key, change] of tokens) join(this.tokens, key, change);
    for (const [space, all] of this.keyed) for (const [key, change] of changes.of(space)) join(all, key, change);
    if (head !== undefined) this.head = { before: this.head?.before ?? head.before, after: head.after };
  }
}

function join<V>(all: Map<Hex, ValueChange<V>>, key: Hex, { before, after }: ValueChange<V>): void {
  const known = all.get(key);
  all.set(key, { before: known === undefined ? before : known.before, after });
}

const PAGE = 500;

/** Where two whole states differ. It yields after each page, so that its caller can give way. */
export function* differencesOf(before: FoldStore, after: FoldStore): Generator<void, TouchedValues> {
  const touched = new TouchedValues();
  yield* compare(before.pools, after.pools, sameScalars, touched.pools);
  yield* compare(before.ticks, after.ticks, sameTick, touched.ticks);
  const sameToken = (a: SavedToken, b: SavedToken): boolean =>
    sameRecord(a.record, b.record) && samePrice(a.price, b.price);
  yield* compare(before.tokens, after.tokens, sameToken, touched.tokens);
  for (const { space, same } of keyedFolds)
    yield* compare(before.state.space(space), after.state.space(space), same, touched.of(space));
  touched.head = { before: before.headValue, after: after.headValue };
  return touched;
}

/** Both in key order, the smaller key first. */
function* compare<V>(
  before: KeyedSpace<V>,
  after: KeyedSpace<V>,
  same: (a: V, b: V) => boolean,
  into: Map<Hex, ValueChange<V>>,
): Generator<void, void> {
  const [left, right] = [new Pages(before), new Pages(after)];
  for (let looked = 0; left.key !== null || right.key !== null; looked++) {
    if (looked % PAGE === 0) yield;
    if (right.key === null || (left.key !== null && left.key < right.key)) {
      into.set(left.key!, { before: left.value, after: null });
      left.next();
    } else if (left.key === null || right.key < left.key) {
      into.set(right.key, { before: null, after: right.value });
      right.next();
    } else {
      if (!same(left.value!, right.value!)) into.set(left.key, { before: left.value, after: right.value });
      left.next();
      right.next();
    }
  }
}

/** One space in key order. */
class Pages<V> {
  key: Hex | null = null;
  value: V | null = null;
  private page: [Hex, V][] = [];
  private at = 0;

  constructor(private readonly space: KeyedSpace<V>) {
    this.page = space.range({ from: '', to: null, limit: PAGE });
    this.take();
  }

  next(): void {
    if (++this.at === PAGE) {
      this.page = this.space.range({ from: `${this.key}00`, to: null, limit: PAGE });
      this.at = 0;
    }
    this.take();
  }

  private take(): void {
    [this.key, this.value] = this.page[this.at] ?? [null, null];
  }
}
