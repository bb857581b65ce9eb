import type { Hex } from '#libs/core/ids.js';
import type { Entry, EntryRing } from './entry-ring.js';
import { OrderedKeys } from './ordered-keys.js';
import type { SealedStore } from './sealed-store.js';
import { type KeyRange, prefixRange, type Space, type ValueChange } from './space.js';

/** Large maps grow in one step; sixteen small ones grow in sixteen. */
const SHARDS = 16;

export interface MutableChange<V> extends ValueChange<V> {
  after: V | null;
  readonly entry: Entry<V>;
}

/**
 * One space of a keyed state as its users see it: the newest value of every key.
 * Invariants: an entry with pins is one that an unsealed block, the sealed batch or a commit under way has changed; every other
 * entry has what the store has.
 */
export class KeyedSpace<V> {
  /** Changes of the open block; null outside of one. */
  open: Map<Hex, MutableChange<V>> | null = null;
  private pinnedEntries = 0;
  /** What was found last: a block sets the key that it has just read. It counts while it is in its map. */
  private last: Entry<V> | null = null;
  private readonly shards: Map<Hex, Entry<V>>[] = Array.from({ length: SHARDS }, () => new Map());
  /** Keys of entries with pins by their leading bytes. */
  private readonly groups: Map<Hex, OrderedKeys> | null;
  private readonly groupDigits: number;

  constructor(
    readonly space: Space<V>,
    readonly index: number,
    private readonly store: SealedStore,
    private readonly ring: EntryRing,
    private readonly touched: () => Map<Hex, MutableChange<V>>,
  ) {
    this.groupDigits = (space.groupBytes ?? 0) * 2;
    this.groups = this.groupDigits > 0 ? new Map() : null;
  }

  /** Whether a value that the store holds stays in memory after it was read. */
  get caches(): boolean {
    return this.ring.bound > 0;
  }

  get overlaid(): number {
    return this.pinnedEntries;
  }

  /** Entries that the store holds as well. */
  get cached(): number {
    return this.shards.reduce((sum, { size }) => sum + size, -this.pinnedEntries);
  }

  get(key: Hex): V | null {
    const entry = this.find(key);
    if (entry === undefined) return this.load(key).value;
    entry.used = true;
    return entry.value;
  }

  /** The value before the open block. */
  before(key: Hex): V | null {
    const change = this.open?.get(key);
    return change === undefined ? this.get(key) : change.before;
  }

  /** Of the open block so far. */
  changes(): Iterable<[Hex, ValueChange<V>]> {
    return this.open ?? [];
  }

  /** Null removes the key. Only inside a block. */
  set(key: Hex, value: V | null): void {
    const changes = this.open ?? this.touched();
    const change = changes.get(key);
    if (change !== undefined) {
      change.after = value;
      change.entry.value = value;
      return;
    }
    const entry = this.find(key) ?? this.load(key);
    const before = entry.value;
    if (before === null && value === null) return;
    this.pin(entry, value);
    changes.set(key, { before, after: value, entry });
  }

  /** Sets a key whose present value the caller holds: it need not be looked up. */
  replace(key: Hex, before: V | null, after: V | null): void {
    const changes = this.open ?? this.touched();
    if (changes.has(key)) {
      this.set(key, after);
      return;
    }
    if (before === null && after === null) return;
    const entry = this.find(key) ?? newEntry<V>(key, before);
    this.pin(entry, after);
    changes.set(key, { before, after, entry });
  }

  /** Newest values in key order, as they are now. */
  range(range: KeyRange): [Hex, V][] {
    const { from, to, reverse = false, limit = Number.POSITIVE_INFINITY } = range;
    const found: [Hex, V][] = [];
    const overlaid = this.overlaidIn(from, to, reverse);
    let next = overlaid();
    const takeOverlaid = (): void => {
      const value = this.pinned(next!)?.value ?? null;
      if (value !== null) found.push([next!, value]);
      next = overlaid();
    };
    for (const { key, value } of this.store.range(this.index, { from, to, reverse })) {
      while (next !== null && found.length < limit && before(next, key, reverse)) takeOverlaid();
      if (found.length >= limit) break;
      if (next === key && this.pinned(key) !== null) takeOverlaid();
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
    return keys.filter((key) => !this.shard(key).has(key));
  }

  /** Takes a value of the store, unless the key has an entry already. */
  accept(key: Hex, bytes: Buffer | null): void {
    if (!this.shard(key).has(key)) this.enter(key, bytes);
  }

  /** One reason less to keep the entry. Without any, the store has this very value. */
  unpin(entry: Entry<V>): void {
    if (--entry.pins > 0) return;
    this.pinnedEntries--;
    if (this.caches) this.ring.add(entry as Entry<unknown>);
    else {
      entry.home?.delete(entry.key);
      entry.home = null;
    }
    if (this.groups === null) return;
    const group = entry.key.slice(0, this.groupDigits);
    if (this.groups.get(group)!.removed((key) => this.pinned(key) !== null)) this.groups.delete(group);
  }

  /** The block that set the key last is gone. */
  restore(entry: Entry<V>, value: V | null): void {
    entry.value = value;
    this.unpin(entry);
  }

  /** Forgets everything, and answers the values that are not in the store. */
  abandon(): Map<Hex, V | null> {
    const values = new Map<Hex, V | null>();
    for (const shard of this.shards) {
      for (const [key, { value, pins }] of shard) if (pins > 0) values.set(key, value);
      shard.clear();
    }
    this.pinnedEntries = 0;
    this.last = null;
    this.groups?.clear();
    return values;
  }

  private find(key: Hex): Entry<V> | undefined {
    if (this.last !== null && this.last.key === key && this.last.home !== null) return this.last;
    const entry = this.shard(key).get(key);
    if (entry !== undefined) this.last = entry;
    return entry;
  }

  private load(key: Hex): Entry<V> {
    return this.enter(key, this.store.get(this.index, key));
  }

  private enter(key: Hex, bytes: Buffer | null): Entry<V> {
    const entry = newEntry(key, bytes === null ? null : this.space.decode(bytes));
    if (this.caches) {
      this.keep(entry);
      this.ring.add(entry as Entry<unknown>);
    }
    return entry;
  }

  private pin(entry: Entry<V>, value: V | null): void {
    entry.value = value;
    if (++entry.pins > 1) return;
    this.pinnedEntries++;
    if (entry.home === null) this.keep(entry);
    if (this.groups === null) return;
    const group = entry.key.slice(0, this.groupDigits);
    const members = this.groups.get(group);
    if (members === undefined) this.groups.set(group, new OrderedKeys(entry.key));
    else members.add(entry.key);
  }

  private keep(entry: Entry<V>): void {
    entry.home = this.shard(entry.key);
    entry.home.set(entry.key, entry);
  }

  private pinned(key: Hex): Entry<V> | null {
    const entry = this.shard(key).get(key);
    return entry === undefined || entry.pins === 0 ? null : entry;
  }

  private *pinnedKeys(): Generator<Hex> {
    for (const shard of this.shards) for (const [key, { pins }] of shard) if (pins > 0) yield key;
  }

  private shard(key: Hex): Map<Hex, Entry<V>> {
    return this.shards[(key.charCodeAt(key.length - 1) ^ (key.charCodeAt(key.length - 3) << 1)) & (SHARDS - 1)]!;
  }

  /** Hands out the overlaid keys of a range one by one, with some that are not overlaid any more; null: no further one. */
  private overlaidIn(from: Hex, to: Hex | null, reverse: boolean): () => Hex | null {
    const group = this.groups === null || from.length < this.groupDigits ? null : from.slice(0, this.groupDigits);
    // A range over several groups looks at all of them.
    if (group === null || to === null || (to.slice(0, this.groupDigits) !== group && to !== groupEnd(group))) {
      const keys = [...this.pinnedKeys()].filter((key) => key >= from && (to === null || key < to)).sort();
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

const newEntry = <V>(key: Hex, value: V | null): Entry<V> => ({
  key,
  value,
  pins: 0,
  used: false,
  ringed: false,
  home: null,
});

const before = (a: Hex, b: Hex, reverse: boolean): boolean => (reverse ? a > b : a < b);

/** What follows the last key of a group; null when nothing does. */
function groupEnd(group: Hex): Hex | null {
  return prefixRange(group).to;
}
