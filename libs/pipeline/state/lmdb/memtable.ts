import type { Hex } from '#libs/core/ids.js';
import { RECORD_HEAD, type RecordPlace, recordPlaces } from '../packed-records.js';

/** Each grows on its own, so that no turn of the event loop pays for the size of the table. */
const SHARDS = 64;
const FIRST_SLOTS = 128;
const LONGEST_KEY = 2 ** 16;

/** A key in bytes, with its hash. One is used again by all lookups of a thread. */
class Sought {
  readonly bytes = Buffer.allocUnsafeSlow(LONGEST_KEY);
  length = 0;
  hash = 0;

  of(space: number, key: Hex): this {
    this.length = this.bytes.write(key, 0, 'hex');
    this.hash = hashOf(this.bytes, space, 0, this.length);
    return this;
  }
}

const sought = new Sought();

/**
 * What commits wrote that is not in lmdb's trees yet, by space and key: the newest record of each. Packed records stay as they
 * came, outside of the heap; a table of slots says where each is.
 */
export class Memtable {
  /** Memory of the records. */
  bytes = 0;
  private readonly chunks: Buffer[] = [];
  private readonly shards: readonly Shard[];
  private readonly ordered = new Map<number, Hex[]>();

  /** After another one it has as much room from the start, or half of it: where as many keys come, a shard grows once at most. */
  constructor(before?: Memtable) {
    this.shards = Array.from({ length: SHARDS }, (_, at) => new Shard(before?.shards[at]?.size));
  }

  get size(): number {
    return this.shards.reduce((sum, { size }) => sum + size, 0);
  }

  /** Takes over packed records, which replace those that came before. */
  add(packed: Buffer, wanted: (space: number) => boolean): void {
    this.ordered.clear();
    this.bytes += packed.length;
    const chunk = this.chunks.push(packed);
    for (const place of recordPlaces(packed)) {
      if (!wanted(place.space)) continue;
      const hash = hashOf(packed, place.space, place.keyFrom, place.keyEnd);
      this.shardOf(hash).put(hash, chunk, place.from, (at, from) => sameKey(this.chunks[at - 1]!, from, packed, place));
    }
  }

  /** Undefined: the table says nothing of the key. Null: the key has no value. */
  find(space: number, { bytes, length, hash }: Sought): Buffer | null | undefined {
    const shard = this.shardOf(hash);
    for (let slot = shard.first(hash); shard.chunkOf[slot] !== 0; slot = shard.after(slot)) {
      if (shard.hashOf[slot] !== hash) continue;
      const chunk = this.chunks[shard.chunkOf[slot]! - 1]!;
      const from = shard.fromOf[slot]!;
      if (chunk[from] !== space || chunk.readUInt16LE(from + 1) !== length) continue;
      const keyFrom = from + RECORD_HEAD;
      if (!sameBytes(chunk, keyFrom, bytes, 0, length)) continue;
      const size = chunk.readUInt32LE(from + 3);
      return size === 0 ? null : chunk.subarray(keyFrom + length, keyFrom + length + size - 1);
    }
    return undefined;
  }

  /** All keys of a space in order, also those without a value. For what walks a whole space: the first call sorts. */
  keysOf(space: number): readonly Hex[] {
    let keys = this.ordered.get(space);
    if (keys === undefined) {
      keys = [];
      for (const shard of this.shards) {
        for (const [slot, at] of shard.chunkOf.entries()) {
          if (at === 0) continue;
          const chunk = this.chunks[at - 1]!;
          const from = shard.fromOf[slot]!;
          const keyFrom = from + RECORD_HEAD;
          if (chunk[from] === space) keys.push(chunk.toString('hex', keyFrom, keyFrom + chunk.readUInt16LE(from + 1)));
        }
      }
      this.ordered.set(space, keys.sort());
    }
    return keys;
  }

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> 26]!;
  }
}

/** Looks a key up in tables, the newest first. */
export function findInTables(tables: readonly Memtable[], space: number, key: Hex): Buffer | null | undefined {
  if (tables.length === 0) return undefined;
  const wanted = sought.of(space, key);
  for (const table of tables) {
    const found = table.find(space, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Open addressing with linear steps; a slot of chunk 0 is free. Nothing is ever removed. */
class Shard {
  size = 0;
  hashOf: Uint32Array;
  chunkOf: Uint32Array;
  fromOf: Uint32Array;

  constructor(expected = 0) {
    let slots = FIRST_SLOTS;
    while (slots < expected) slots *= 2;
    this.hashOf = new Uint32Array(slots);
    this.chunkOf = new Uint32Array(slots);
    this.fromOf = new Uint32Array(slots);
  }

  first(hash: number): number {
    return hash & (this.hashOf.length - 1);
  }

  after(slot: number): number {
    return (slot + 1) & (this.hashOf.length - 1);
  }

  put(hash: number, chunk: number, from: number, isSame: (chunk: number, from: number) => boolean): void {
    let slot = this.first(hash);
    for (; this.chunkOf[slot] !== 0; slot = this.after(slot)) {
      if (this.hashOf[slot] === hash && isSame(this.chunkOf[slot]!, this.fromOf[slot]!)) break;
    }
    if (this.chunkOf[slot] === 0) this.size++;
    this.fill(slot, hash, chunk, from);
    if (this.size * 4 > this.hashOf.length * 3) this.grow();
  }

  private fill(slot: number, hash: number, chunk: number, from: number): void {
    this.hashOf[slot] = hash;
    this.chunkOf[slot] = chunk;
    this.fromOf[slot] = from;
  }

  private grow(): void {
    const { hashOf, chunkOf, fromOf } = this;
    const slots = hashOf.length * 2;
    this.hashOf = new Uint32Array(slots);
    this.chunkOf = new Uint32Array(slots);
    this.fromOf = new Uint32Array(slots);
    for (let old = 0; old < hashOf.length; old++) {
      if (chunkOf[old] === 0) continue;
      let slot = this.first(hashOf[old]!);
      while (this.chunkOf[slot] !== 0) slot = this.after(slot);
      this.fill(slot, hashOf[old]!, chunkOf[old]!, fromOf[old]!);
    }
  }
}

/** FNV-1a with a last mix: ids are random, but parts of keys are small numbers. */
function hashOf(bytes: Buffer, space: number, from: number, end: number): number {
  let hash = 0x811c9dc5 ^ space;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function sameKey(chunk: Buffer, from: number, packed: Buffer, { space, keyFrom, keyEnd }: RecordPlace): boolean {
  const length = keyEnd - keyFrom;
  if (chunk[from] !== space || chunk.readUInt16LE(from + 1) !== length) return false;
  return sameBytes(chunk, from + RECORD_HEAD, packed, keyFrom, length);
}

function sameBytes(a: Buffer, fromA: number, b: Buffer, fromB: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (a[fromA + at] !== b[fromB + at]) return false;
  return true;
}
