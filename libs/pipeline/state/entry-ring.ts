import type { Hex } from '#libs/core/ids.js';

/** The newest value of a key, and why it is in memory. */
export interface Entry<V> {
  readonly key: Hex;
  /** Null: the key has none. */
  value: V | null;
  /** Unsealed blocks and batches that hold a value which the store does not have yet. */
  pins: number;
  /** Read since the ring looked at it last. */
  used: boolean;
  /** In the ring: it may be dropped from there while it has no pins. */
  ringed: boolean;
  /** The map that it is in; null: none. */
  home: Map<Hex, Entry<V>> | null;
}

/** Entries that are looked at for one that takes a place. */
const LOOKS = 16;

/**
 * The bound of the entries without pins, which the store holds as well, over all spaces. A clock: a new entry takes the place of the
 * next one that was not read since the hand passed it. Nothing is walked or dropped as a whole, so no turn of the event loop pays for the size.
 */
export class EntryRing {
  private readonly ring: Entry<unknown>[] = [];
  private hand = 0;

  constructor(readonly bound: number) {}

  add(entry: Entry<unknown>): void {
    if (entry.ringed) return;
    entry.ringed = true;
    entry.used = false;
    if (this.ring.length < this.bound) {
      this.ring.push(entry);
      return;
    }
    let place = this.hand;
    for (let looks = 0; looks < LOOKS; looks++) {
      place = this.hand;
      this.hand = place + 1 < this.ring.length ? place + 1 : 0;
      const old = this.ring[place]!;
      if (old.pins > 0 || !old.used) break;
      if (looks < LOOKS - 1) old.used = false;
    }
    this.drop(this.ring[place]!);
    this.ring[place] = entry;
  }

  clear(): void {
    this.ring.length = 0;
    this.hand = 0;
  }

  /** With pins it stays where it is, and comes again when it has none. */
  private drop(entry: Entry<unknown>): void {
    entry.ringed = false;
    if (entry.pins > 0) return;
    entry.home?.delete(entry.key);
    entry.home = null;
  }
}
