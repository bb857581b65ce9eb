import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { SharedTimeBudget, TimeBudget } from '#libs/core/time-budget.js';
import { KeyedState, type KeyedStateOptions } from '../keyed-state.js';
import { placeOf } from '../ordered-keys.js';
import type { CommitRecords, RewindPoint, SealedStore } from '../sealed-store.js';
import type { BlockPosition, KeyRange, Space } from '../space.js';
import { readCommits, removeOtherFiles } from './commit-files.js';
import { CommitThread } from './commit-thread.js';
import { findInTables, Memtable } from './memtable.js';
import { ReadThread } from './read-thread.js';
import { ReadThrough } from './read-through.js';
import { readValue, StateEnv, stateFailure } from './state-env.js';

export interface LmdbStateOptions extends KeyedStateOptions {
  dir: string;
  /** Bound of the undo rows of commits, below which a retraction needs a refold from the beginning. */
  undoBytes?: number;
  /** So many commits are merged into the trees together. */
  mergeCommits?: number;
  /** The compiled entry of the commit thread, where this module is not run compiled; that of the read thread is next to it. */
  commitThread?: URL;
}

/** Version 1 had no commit files: what it wrote is read as it is. */
const FORMAT = 2;
const DEFAULT_UNDO_BYTES = 1024 ** 3;
const DEFAULT_MERGE_COMMITS = 64;
/** A memtable of so many bytes is merged, however few commits it has; at twice that, commits wait for the merge before. */
const MERGE_BYTES = 256 * 1024 ** 2;
/** Trees of so many bytes need not be read ahead. */
const SMALL_BYTES = 128 * 1024 ** 2;
/** lmdb's name of the file with the trees. */
const TREES = 'data.mdb';
const FIRST_KEY = '00';
const LAST_KEY = 'ff'.repeat(1_000);

/** A keyed state on disk. One process has it open at a time: the lock of the instance's folder sees to that. */
export async function openLmdbState(spaces: readonly Space<never>[], options: LmdbStateOptions): Promise<KeyedState> {
  const { dir, undoBytes = DEFAULT_UNDO_BYTES, mergeCommits = DEFAULT_MERGE_COMMITS } = options;
  const stored = spaces.map(({ name, groupBytes }) => ({ name, ranged: groupBytes !== undefined }));
  let env: StateEnv;
  try {
    env = new StateEnv(dir, stored);
  } catch (error) {
    throw stateFailure(dir, error);
  }
  try {
    describeState(env, dir, spaces);
  } catch (error) {
    await env.close();
    throw error;
  }
  const file = options.commitThread ?? new URL('./commit-thread-main.js', import.meta.url);
  const store = new LmdbStore(env, dir, { undoBytes, mergeCommits }, file, new URL('./read-thread-main.js', file));
  try {
    await store.start();
  } catch (error) {
    await store.close();
    throw stateFailure(dir, error);
  }
  return new KeyedState(spaces, store, options);
}

/** Refuses a state of another form; a load that did not come to its end counts as none. */
function describeState(env: StateEnv, dir: string, spaces: readonly Space<never>[]): void {
  const form = { format: FORMAT, spaces: spaces.map(({ name, version }) => ({ name, version })) };
  const known = env.meta.get('form') as typeof form | undefined;
  const readable = known === undefined || [1, FORMAT].includes(known.format);
  if (!readable || JSON.stringify(known?.spaces ?? form.spaces) !== JSON.stringify(form.spaces)) {
    throw new TidepoolError(
      'state_version',
      `the keyed state in ${dir} has another form: remove it, the log gives it again`,
    );
  }
  env.transact(() => {
    if (env.meta.get('loading') === true) {
      for (const db of env.values) db.clearSync();
      env.meta.removeSync('loading');
    }
    env.meta.putSync('form', form);
  });
}

/**
 * Sealed state in lmdb: reads come synchronously from the memtables and from the memory map, in this thread; commits and merges are
 * made by another thread, and this one learns of them by messages. Until it does, the values of a commit are still overlaid and those of a
 * merge still in a memtable, so either version of the trees that is read is right.
 */
class LmdbStore implements SealedStore {
  isSmall = false;
  position: BlockPosition | null;
  newest: number;
  private readonly thread: CommitThread;
  /** None before the first key is read ahead: a state that keeps no entries needs none. */
  private reader: ReadThread | null = null;
  /** A state that grew large since it was opened has its pages in memory already. */
  private through: ReadThrough | null = null;
  private known: RewindPoint[];
  private readonly reading = new Set<Promise<unknown>>();
  private readonly taking = new SharedTimeBudget();
  /** The newest first; the second one is being merged. */
  private tables: Memtable[] = [new Memtable()];
  /** Commits that the newest table has. */
  private inTable = 0;
  private failure: Error | null = null;
  private mergeEnded: () => void = () => undefined;

  constructor(
    private readonly env: StateEnv,
    private readonly dir: string,
    private readonly options: { undoBytes: number; mergeCommits: number },
    file: URL,
    private readonly readFile: URL,
  ) {
    this.position = env.position;
    this.newest = env.newest;
    this.known = [...env.commits.getRange({})].map(({ key, value }) => ({ commit: key, position: value.before }));
    removeOtherFiles(dir, env.extents);
    const input = { dir, spaces: env.spaces, undoBytes: options.undoBytes };
    this.thread = new CommitThread(input, file, (error) => this.merged(error));
  }

  /** Reads the commit files, and continues their merge. */
  async start(): Promise<void> {
    await this.readTables();
    this.measure();
    if (!this.isSmall) this.through ??= new ReadThrough(join(this.dir, TREES));
    if (this.tables.length > 1) await this.thread.ask({ kind: 'merge' });
  }

  points(): RewindPoint[] {
    return [...this.known].reverse();
  }

  get(space: number, key: Hex): Buffer | null {
    if (!this.env.spaces[space]!.ranged) {
      const found = findInTables(this.tables, space, key);
      if (found !== undefined) return found;
    }
    return readValue(this.env.values[space]!, key);
  }

  range(space: number, range: KeyRange): Iterable<{ key: Hex; value: Buffer }> {
    const { from, to, reverse = false } = range;
    const inTree = rangeOf(this.env, space, from, to, reverse);
    if (this.env.spaces[space]!.ranged || this.tables.every(({ size }) => size === 0)) return inTree;
    return this.withMemtables(space, range, inTree);
  }

  async warm(space: number, keys: Hex[]): Promise<void> {
    const inTree = this.env.spaces[space]!.ranged
      ? keys
      : keys.filter((key) => findInTables(this.tables, space, key) === undefined);
    if (inTree.length === 0) return;
    const reading = this.env.bringIntoMemory(space, inTree);
    this.reading.add(reading);
    await reading.finally(() => this.reading.delete(reading));
  }

  async fetch(space: number, keys: Hex[], take: (key: Hex, value: Buffer | null) => void): Promise<void> {
    const { ranged } = this.env.spaces[space]!;
    const inTree: Hex[] = [];
    for (const key of keys) {
      const found = ranged ? undefined : findInTables(this.tables, space, key);
      if (found === undefined) inTree.push(key);
      else take(key, found);
    }
    if (inTree.length === 0) return;
    this.reader ??= new ReadThread({ dir: this.dir, spaces: this.env.spaces }, this.readFile);
    const { buffer, byteOffset, byteLength } = await this.reader.read(space, inTree);
    const values = Buffer.from(buffer, byteOffset, byteLength);
    let at = 0;
    for (const key of inTree) {
      const size = values.readUInt32LE(at);
      const end = at + 4 + Math.max(0, size - 1);
      take(key, size === 0 ? null : values.subarray(at + 4, end));
      at = end;
      if (this.taking.isOver()) await this.taking.next();
    }
  }

  async commit({ values, before }: CommitRecords, position: BlockPosition): Promise<void> {
    await this.roomForMore();
    const budget = new TimeBudget();
    const [table] = this.tables;
    for (const records of values) {
      table!.add(records, this.isInMemtable);
      if (budget.isSpent()) await budget.next();
    }
    this.inTable++;
    const rotate = this.tables.length === 1 && this.isFull();
    if (rotate) {
      this.tables = [new Memtable(table), table!];
      this.inTable = 0;
    }
    const request = { kind: 'commit', values, before, position, rotate } as const;
    const { commit, oldest } = await this.thread.ask(request, memoryOf(before));
    this.newest = commit;
    this.known.push({ commit, position: this.position });
    this.known = this.known.filter((point) => point.commit >= oldest);
    this.position = position;
    this.env.refresh();
  }

  async rewind(point: RewindPoint): Promise<Buffer[]> {
    const { position, touched } = await this.thread.ask({ kind: 'rewind', to: point.commit });
    this.known = this.known.filter(({ commit }) => commit < point.commit);
    this.newest = Math.min(this.newest, point.commit - 1);
    this.position = position;
    this.env.refresh();
    await this.start();
    return touched.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  }

  async load(records: Buffer<ArrayBuffer>[], position: BlockPosition | null): Promise<void> {
    await this.thread.ask({ kind: 'load', records, position }, memoryOf(records));
    if (position !== null) this.position = position;
    this.env.refresh();
  }

  async close(): Promise<void> {
    await this.through?.stop();
    await this.thread.close();
    await this.reader?.close();
    // They read in threads of their own.
    await Promise.allSettled(this.reading);
    await this.env.close();
  }

  private readonly isInMemtable = (space: number): boolean => !this.env.spaces[space]!.ranged;

  private isFull(): boolean {
    return this.inTable >= this.options.mergeCommits || this.tables[0]!.bytes >= MERGE_BYTES;
  }

  private async roomForMore(): Promise<void> {
    while (this.failure === null && this.tables.length > 1 && this.tables[0]!.bytes >= 2 * MERGE_BYTES) {
      await new Promise<void>((resolve) => {
        this.mergeEnded = resolve;
      });
    }
    if (this.failure !== null) throw this.failure;
  }

  private merged(error: Error | null): void {
    if (error === null) {
      this.env.refresh();
      this.measure();
      this.tables.length = 1;
    } else this.failure = error;
    this.mergeEnded();
  }

  private measure(): void {
    this.isSmall = statSync(join(this.dir, TREES)).size < SMALL_BYTES;
  }

  private async readTables(): Promise<void> {
    const { merging, active } = this.env.extents;
    this.tables = [];
    this.inTable = 0;
    for (const extent of merging === null ? [active] : [active, merging]) {
      const table = new Memtable();
      for await (const records of readCommits(this.dir, extent)) {
        table.add(records, this.isInMemtable);
        if (extent === active) this.inTable++;
      }
      this.tables.push(table);
    }
  }

  /** What a range of the tree is with the memtables above it. Both have one order. */
  private *withMemtables(
    space: number,
    { from, to, reverse = false }: KeyRange,
    inTree: Iterable<{ key: Hex; value: Buffer }>,
  ): Generator<{ key: Hex; value: Buffer }> {
    const keys = this.memtableKeys(space, from, to, reverse);
    let at = 0;
    for (const entry of inTree) {
      for (; at < keys.length && isBefore(keys[at]!, entry.key, reverse); at++)
        yield* this.memtableEntry(space, keys[at]!);
      if (keys[at] === entry.key) yield* this.memtableEntry(space, keys[at++]!);
      else yield entry;
    }
    for (; at < keys.length; at++) yield* this.memtableEntry(space, keys[at]!);
  }

  private *memtableEntry(space: number, key: Hex): Generator<{ key: Hex; value: Buffer }> {
    const value = findInTables(this.tables, space, key);
    if (value) yield { key, value };
  }

  private memtableKeys(space: number, from: Hex, to: Hex | null, reverse: boolean): Hex[] {
    const lists = this.tables.map((table) => {
      const keys = table.keysOf(space);
      return keys.slice(placeOf(keys, from), to === null ? keys.length : placeOf(keys, to));
    });
    const keys = lists.length === 1 ? lists[0]! : [...new Set(lists.flat())].sort();
    return reverse ? keys.reverse() : keys;
  }
}

function* rangeOf(
  env: StateEnv,
  space: number,
  from: Hex,
  to: Hex | null,
  reverse: boolean,
): Generator<{ key: Hex; value: Buffer }> {
  const db = env.values[space]!;
  const first = startOf(from);
  if (!reverse) {
    yield* db.getRange(to === null ? { start: first } : { start: first, end: to });
    return;
  }
  // lmdb's reverse range begins at its start, which is the other end here. Without the word `end` it would make one up.
  for (const entry of db.getRange({ reverse: true, start: to ?? LAST_KEY, end: undefined })) {
    if (to !== null && entry.key >= to) continue;
    if (entry.key < first) return;
    yield entry;
  }
}

/** lmdb knows no empty key. */
const startOf = (from: Hex): Hex => (from === '' ? FIRST_KEY : from);

const isBefore = (a: Hex, b: Hex, reverse: boolean): boolean => (reverse ? a > b : a < b);

const memoryOf = (records: Buffer<ArrayBuffer>[]): ArrayBuffer[] => records.map(({ buffer }) => buffer);
