import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hex } from '#libs/core/ids.js';
import { KeyedState, type KeyedStateOptions } from './keyed-state.js';
import { placeOf } from './ordered-keys.js';
import { RecordPacker, unpackRecords } from './packed-records.js';
import type { CommitRecords, RewindPoint, SealedStore } from './sealed-store.js';
import type { BlockPosition, KeyRange, Space } from './space.js';

/** What a heap store leaves behind when its state is dropped: the disk of a test. */
export interface HeapDisk {
  values: Map<Hex, Buffer>[];
  position: BlockPosition | null;
  undo: { commit: number; before: BlockPosition | null; records: Buffer }[];
}

export const emptyHeapDisk = (): HeapDisk => ({ values: [], position: null, undo: [] });

/** A keyed state whose sealed store is in the heap as well, for tests and small states. */
export function openHeapState(
  spaces: readonly Space<never>[],
  options: KeyedStateOptions & { disk?: HeapDisk } = {},
): KeyedState {
  return new KeyedState(spaces, new HeapStore(options.disk ?? emptyHeapDisk(), spaces.length), options);
}

export class HeapStore implements SealedStore {
  /** What reads ahead of disks is tried over heaps as well. */
  readonly isSmall = false;
  /** Keys of each space in order, as long as they are the same. */
  private ordered: (Hex[] | null)[] = [];
  private loading: Map<Hex, Buffer>[] | null = null;

  constructor(
    private readonly disk: HeapDisk,
    spaces: number,
  ) {
    for (let index = disk.values.length; index < spaces; index++) disk.values.push(new Map());
  }

  get position(): BlockPosition | null {
    return this.disk.position;
  }

  get newest(): number {
    return this.disk.undo.at(-1)?.commit ?? 0;
  }

  points(): RewindPoint[] {
    return this.disk.undo.map(({ commit, before }) => ({ commit, position: before })).reverse();
  }

  get(space: number, key: Hex): Buffer | null {
    return this.disk.values[space]!.get(key) ?? null;
  }

  range(space: number, range: KeyRange): Iterable<{ key: Hex; value: Buffer }> {
    this.ordered[space] ??= [...this.disk.values[space]!.keys()].sort();
    return rangeOf(this.ordered[space], this.disk.values[space]!, range);
  }

  warm(): Promise<void> {
    return Promise.resolve();
  }

  /** Some turns late, as other stores answer. */
  async fetch(space: number, keys: Hex[], take: (key: Hex, value: Buffer | null) => void): Promise<void> {
    const values = keys.map((key) => this.get(space, key));
    await nextTurn();
    for (const [at, key] of keys.entries()) take(key, values[at]!);
  }

  async commit({ values, before }: CommitRecords, position: BlockPosition): Promise<void> {
    this.ordered = [];
    for (const packed of values) {
      for (const { space, key, value } of unpackRecords(packed)) put(this.disk.values[space]!, key, value);
    }
    this.disk.undo.push({ commit: this.newest + 1, before: this.disk.position, records: Buffer.concat(before) });
    this.disk.position = position;
  }

  async rewind(point: RewindPoint): Promise<Buffer[]> {
    this.ordered = [];
    const touched = new RecordPacker(1024);
    const seen = new Set<string>();
    while ((this.disk.undo.at(-1)?.commit ?? 0) >= point.commit) {
      const { before, records } = this.disk.undo.pop()!;
      for (const { space, key, value } of unpackRecords(records)) {
        const values = this.disk.values[space]!;
        if (!seen.has(`${space}/${key}`)) touched.add(space, key, values.get(key) ?? null);
        seen.add(`${space}/${key}`);
        put(values, key, value);
      }
      this.disk.position = before;
    }
    return [touched.take()];
  }

  async load(records: Buffer[], position: BlockPosition | null): Promise<void> {
    this.loading ??= this.disk.values.map(() => new Map());
    for (const packed of records) {
      for (const { space, key, value } of unpackRecords(packed)) put(this.loading[space]!, key, value);
    }
    if (position === null) return;
    this.ordered = [];
    this.disk.values = this.loading;
    this.disk.position = position;
    this.loading = null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function put(values: Map<Hex, Buffer>, key: Hex, value: Buffer | null): void {
  if (value === null) values.delete(key);
  else values.set(key, Buffer.from(value));
}

function* rangeOf(
  ordered: readonly Hex[],
  values: Map<Hex, Buffer>,
  { from, to, reverse, limit = Number.POSITIVE_INFINITY }: KeyRange,
): Generator<{ key: Hex; value: Buffer }> {
  const [first, end] = [placeOf(ordered, from), to === null ? ordered.length : placeOf(ordered, to)];
  const count = Math.min(limit, end - first);
  for (let taken = 0; taken < count; taken++) {
    const key = ordered[reverse ? end - 1 - taken : first + taken]!;
    yield { key, value: values.get(key)! };
  }
}
