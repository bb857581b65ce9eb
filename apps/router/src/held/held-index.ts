/**
 * Finds a held quote by its id; it holds numbers alone. Each entry has a number, counted from the first entry ever added;
 * the entries from `first` on are live, in the order of their arrival. Entries of one hash form a chain from the newest
 * to the oldest, so that a reader stops at the first entry that is gone and nothing has to be unlinked. Two ids may share
 * a hash: the caller compares the id with the text that is held.
 */
export class HeldIndex {
  /** A power of two. */
  private capacity = 1_024;
  private next = 0;
  private oldest = 0;
  private table = new Table(this.capacity);

  /** The oldest live entry, when there is one. */
  get first(): number {
    return this.oldest;
  }

  get size(): number {
    return this.next - this.oldest;
  }

  add(id: string, piece: number, start: number, end: number, expiresAt: number): void {
    if (this.size === this.capacity) this.grow();
    const { table } = this;
    const at = this.slot(this.next);
    table.hash[at] = hashOf(id);
    table.piece[at] = piece;
    table.start[at] = start;
    table.end[at] = end;
    table.expiresAt[at] = expiresAt;
    this.link(this.next++);
  }

  dropFirst(): void {
    this.oldest++;
  }

  /** The newest live entry whose id may be this one; -1 when there is none. */
  newest(id: string): number {
    const hash = hashOf(id);
    return this.sameHash(this.table.newest[this.slot(hash)]!, hash);
  }

  /** The next older entry with the same hash. */
  older(entry: number): number {
    const at = this.slot(entry);
    return this.sameHash(this.table.older[at]!, this.table.hash[at]!);
  }

  piece(entry: number): number {
    return this.table.piece[this.slot(entry)]!;
  }

  start(entry: number): number {
    return this.table.start[this.slot(entry)]!;
  }

  end(entry: number): number {
    return this.table.end[this.slot(entry)]!;
  }

  expiresAt(entry: number): number {
    return this.table.expiresAt[this.slot(entry)]!;
  }

  private sameHash(entry: number, hash: number): number {
    for (let each = entry; each >= this.oldest; each = this.table.older[this.slot(each)]!) {
      if (this.table.hash[this.slot(each)] === hash) return each;
    }
    return -1;
  }

  private slot(entry: number): number {
    return entry & (this.capacity - 1);
  }

  private link(entry: number): void {
    const { table } = this;
    const at = this.slot(entry);
    const bucket = this.slot(table.hash[at]!);
    table.older[at] = table.newest[bucket]!;
    table.newest[bucket] = entry;
  }

  private grow(): void {
    const from = this.table;
    const mask = this.capacity - 1;
    this.capacity *= 2;
    this.table = new Table(this.capacity);
    for (let entry = this.oldest; entry < this.next; entry++) {
      const at = this.slot(entry);
      for (const column of COLUMNS) this.table[column][at] = from[column][entry & mask]!;
      this.link(entry);
    }
  }
}

/** Entry numbers are doubles: they count further than 32 bits. */
class Table {
  readonly hash: Int32Array;
  readonly piece: Float64Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly expiresAt: Float64Array;
  readonly older: Float64Array;
  /** By hash. */
  readonly newest: Float64Array;

  constructor(capacity: number) {
    this.hash = new Int32Array(capacity);
    this.piece = new Float64Array(capacity);
    this.start = new Int32Array(capacity);
    this.end = new Int32Array(capacity);
    this.expiresAt = new Float64Array(capacity);
    this.older = new Float64Array(capacity);
    this.newest = new Float64Array(capacity).fill(-1);
  }
}

const COLUMNS = ['hash', 'piece', 'start', 'end', 'expiresAt'] as const;

/** FNV-1a over the characters; ids are random already. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  // The low bits choose the bucket.
  return hash ^ (hash >>> 15);
}
