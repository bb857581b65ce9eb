import type { Hex } from '#libs/core/ids.js';
import type { SealedStore } from './sealed-store.js';
import { type Change, type KeyRange, prefixRange, type Space } from './space.js';
import type { CacheBudget } from './value-cache.js';
import { ValueCache } from './value-cache.js';

/** A value that the store does not hold yet, and how many unsealed blocks and batches still need it here. */
interface Overlaid<V> {
  value: V | null;
  pins: number;
}

export interface MutableChange<V> extends Change<V> {
  after: V | null;
}

/**
 * One space of a keyed state as its users see it: the newest value of every key.
 * Invariants: an overlaid key is one that an unsealed block, the sealed batch or a commit under way has changed; every other
 * key has in the cache, if it is there, what the store has.
 */
export class KeyedSpace<V> {
  /** Changes of the open block; null outside of one. */
  open: Map<Hex, MutableChange<V>> | null = null;
  private readonly overlay = new Map<Hex, Overlaid<V>>();
  /** Overlaid keys by their leading bytes. */
  private readonly groups: Map<Hex, OrderedKeys> | null;
  private readonly groupDigits: number;
  private readonly cache: ValueCache<V>;

  constructor(
    readonly space: Space<V>,
    readonly index: number,
    private readonly store: SealedStore,
    budget: CacheBudget,
    private readonly touched: () => Map<Hex, MutableChange<V>>,
  ) {
    this.cache = new ValueCache(budget);
    this.groupDigits = (space.groupBytes ?? 0) * 2;
    this.groups = this.groupDigits > 0 ? new Map() : null;
  }

  get overlaid(): number {
    return this.overlay.size;
  }

  get cached(): number {
    return this.cache.size;
  }

  get(key: Hex): V | null {
    const overlaid = this.overlay.get(key);
    if (overlaid !== undefined) return overlaid.value;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const bytes = this.store.get(this.index, key);
    const value = bytes === null ? null : this.space.decode(bytes);
    this.cache.set(key, value);
    return value;
  }

  /** Null removes the key. Only inside a block. */
  set(key: Hex, value: V | null): void {
    const changes = this.open ?? this.touched();
    const change = changes.get(key);
    if (change !== undefined) {
      change.after = value;
      this.overlay.get(key)!.value = value;
      return;
    }
    const before = this.get(key);
    if (before === null && value === null) return;
    changes.set(key, { before, after: value });
    this.pin(key, value);
  }

  /** Sets a key whose present value the caller holds: it need not be looked up. */
  replace(key: Hex, before: V | null, after: V | null): void {
    const changes = this.open ?? this.touched();
    if (changes.has(key)) {
      this.set(key, after);
      return;
    }
    if (before === null && after === null) return;
    changes.set(key, { before, after });
    this.pin(key, after);
  }

  /** Newest values in key order, as they are now. */
  range(range: KeyRange): [Hex, V][] {
    const { from, to, reverse = false, limit = Number.POSITIVE_INFINITY } = range;
    const found: [Hex, V][] = [];
    const overlaid = this.overlaidIn(from, to, reverse);
    let next = overlaid();
    const takeOverlaid = (): void => {
      const value = this.overlay.get(next!)?.value ?? null;
      if (value !== null) found.push([next!, value]);
      next = overlaid();
    };
    for (const { key, value } of this.store.range(this.index, { from, to, reverse })) {
      while (next !== null && found.length < limit && before(next, key, reverse)) takeOverlaid();
      if (found.length >= limit) break;
      if (next === key && this.overlay.has(key)) takeOverlaid();
      else {
        if (next === key) next = overlaid();
        found.push([key, this.space.decode(value)]);
      }
      if (found.length >= limit) break;
    }
    while (next !== null && found.length < limit) takeOverlaid();
    return found;
  }

  /** Keys that a read would have to ask the store for. */
  missing(keys: readonly Hex[]): Hex[] {
    return keys.filter((key) => !this.overlay.has(key) && !this.cache.has(key));
  }

  pin(key: Hex, value: V | null): void {
    const overlaid = this.overlay.get(key);
    if (overlaid !== undefined) {
      overlaid.value = value;
      overlaid.pins++;
      return;
    }
    this.overlay.set(key, { value, pins: 1 });
    if (this.groups === null) return;
    const group = key.slice(0, this.groupDigits);
    const members = this.groups.get(group);
    if (members === undefined) this.groups.set(group, new OrderedKeys(key));
    else members.add(key);
  }

  /** One reason less to hold the key here. Without any, the store has this very value. */
  unpin(key: Hex): void {
    const overlaid = this.overlay.get(key)!;
    if (--overlaid.pins > 0) return;
    this.overlay.delete(key);
    this.cache.set(key, overlaid.value);
    if (this.groups === null) return;
    const group = key.slice(0, this.groupDigits);
    if (this.groups.get(group)!.removed(this.overlay)) this.groups.delete(group);
  }

  /** The block that set the key last is gone. */
  restore(key: Hex, value: V | null): void {
    this.overlay.get(key)!.value = value;
    this.unpin(key);
  }

  /** Forgets everything that is not in the store, and answers the values it had. */
  abandon(): Map<Hex, V | null> {
    const values = new Map<Hex, V | null>();
    for (const [key, { value }] of this.overlay) values.set(key, value);
    this.overlay.clear();
    this.groups?.clear();
    this.cache.clear();
    return values;
  }

  /** Hands out the overlaid keys of a range one by one, with some that are not overlaid any more; null: no further one. */
  private overlaidIn(from: Hex, to: Hex | null, reverse: boolean): () => Hex | null {
    const group = this.groups === null || from.length < this.groupDigits ? null : from.slice(0, this.groupDigits);
    // A range over several groups looks at all of them.
    if (group === null || to === null || (to.slice(0, this.groupDigits) !== group && to !== groupEnd(group))) {
      const keys = [...this.overlay.keys()].filter((key) => key >= from && (to === null || key < to)).sort();
      return oneByOne(keys, 0, keys.length, reverse);
    }
    return this.groups!.get(group)?.between(from, to, reverse) ?? (() => null);
  }
}

/** A range reads little of a long list: nothing is copied. The list does not change before the last key was asked for. */
function oneByOne(keys: readonly Hex[], first: number, end: number, reverse: boolean): () => Hex | null {
  let at = reverse ? end - 1 : first;
  const step = reverse ? -1 : 1;
  return () => {
    if (at < first || at >= end) return null;
    const key = keys[at]!;
    at += step;
    return key;
  };
}

/** Keys in order. Those that went stay in the list until they are half of it, so that many can go without many moves. */
class OrderedKeys {
  private keys: Hex[];
  private gone = 0;

  constructor(first: Hex) {
    this.keys = [first];
  }

  add(key: Hex): void {
    const at = placeOf(this.keys, key);
    if (this.keys[at] === key) this.gone--;
    else this.keys.splice(at, 0, key);
  }

  /** One of them is not in `present` any more; true when none is. */
  removed(present: ReadonlyMap<Hex, unknown>): boolean {
    if (++this.gone * 2 > this.keys.length) {
      this.keys = this.keys.filter((key) => present.has(key));
      this.gone = 0;
    }
    return this.keys.length === 0;
  }

  /** One by one, those that went included. */
  between(from: Hex, to: Hex, reverse: boolean): () => Hex | null {
    return oneByOne(this.keys, placeOf(this.keys, from), placeOf(this.keys, to), reverse);
  }
}

/** Where the key is in an ordered list, or belongs. */
export function placeOf(ordered: readonly Hex[], key: Hex): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const before = (a: Hex, b: Hex, reverse: boolean): boolean => (reverse ? a > b : a < b);

/** What follows the last key of a group; null when nothing does. */
function groupEnd(group: Hex): Hex | null {
  return prefixRange(group).to;
}
