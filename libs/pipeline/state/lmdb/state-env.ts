import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockPosition } from '../space.js';
import { type CommitExtent, type CommitExtents, NO_COMMITS } from './commit-files.js';

export type ValueDb = Database<Buffer, Hex>;

/** A commit that can be undone: the position before it, what its undo rows take, and where its records begin. */
export interface CommitRecord {
  before: BlockPosition | null;
  bytes: number;
  /** None: a version without commit files wrote it. */
  file?: CommitExtent;
}

/** A space as the environment needs to know it. */
export interface StoredSpace {
  readonly name: string;
  /** Read in ranges: its values are in their tree with the commit. Those of other spaces are in a commit file at first. */
  readonly ranged: boolean;
}

/** Parts of a read ahead that wait for the disk at the same time. */
const PARTS_AHEAD = 4;
const LEAST_OF_A_PART = 16;

/** Address space, not memory or disk: the map never has to grow, which lmdb cannot do while another thread reads. */
const MAP_BYTES = 2 ** 40;

/** Keys are texts in memory and bytes on disk; texts and bytes have one order. */
const hexKeys = {
  writeKey: (key: Hex, target: Buffer, position: number): number => position + target.write(key, position, 'hex'),
  readKey: (source: Buffer, start: number, end: number): Hex => source.toString('hex', start, end),
};

/**
 * The lmdb environment of one keyed state, opened alike by the thread that reads and the one that commits. One database a
 * space, one for undo rows (`commit number, row` → packed records), one for commits, one for what describes the state; next to it
 * the commit files.
 * Opened without overlappingSync: what can be read is durable.
 */
export class StateEnv {
  readonly values: ValueDb[];
  readonly undo: ValueDb;
  readonly commits: Database<CommitRecord, number>;
  readonly meta: Database<unknown, string>;
  private readonly root: RootDatabase<Buffer, string>;

  constructor(
    dir: string,
    readonly spaces: readonly StoredSpace[],
  ) {
    mkdirSync(dir, { recursive: true });
    const options: RootDatabaseOptionsWithPath & { noReadAhead: boolean } = {
      path: dir,
      noSubdir: false,
      maxDbs: 128,
      mapSize: MAP_BYTES,
      encoding: 'binary',
      overlappingSync: false,
      eventTurnBatching: false,
      cache: false,
      noMemInit: true,
      // Reads are of single keys all over the store: pages that are read ahead push out pages that are needed.
      noReadAhead: true,
    };
    this.root = open<Buffer, string>(options);
    const bytes = { encoding: 'binary', keyEncoder: hexKeys } as const;
    this.values = spaces.map(({ name }) => this.root.openDB<Buffer, Hex>({ name: `space/${name}`, ...bytes }));
    this.undo = this.root.openDB<Buffer, Hex>({ name: 'undo', ...bytes });
    this.commits = this.root.openDB<CommitRecord, number>({ name: 'commits', encoding: 'json' });
    this.meta = this.root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
  }

  get position(): BlockPosition | null {
    return (this.meta.get('position') as BlockPosition | undefined) ?? null;
  }

  /** Number of the newest commit. */
  get newest(): number {
    return (this.meta.get('commit') as number | undefined) ?? 0;
  }

  /** How much of the commit files counts. */
  get extents(): CommitExtents {
    return (this.meta.get('commitFiles') as CommitExtents | undefined) ?? NO_COMMITS;
  }

  putExtents(extents: CommitExtents): void {
    this.meta.putSync('commitFiles', extents);
  }

  /** In the tree of its space; null removes the key. */
  put(space: number, key: Hex, value: Buffer | null): void {
    if (value === null) this.values[space]!.removeSync(key);
    else this.values[space]!.putSync(key, value);
  }

  /** Other threads read the pages of these keys. */
  async bringIntoMemory(space: number, keys: Hex[]): Promise<void> {
    const size = Math.max(LEAST_OF_A_PART, Math.ceil(keys.length / PARTS_AHEAD));
    const parts: Promise<void>[] = [];
    for (let from = 0; from < keys.length; from += size) {
      parts.push(this.values[space]!.prefetch(keys.slice(from, from + size)));
    }
    await Promise.all(parts);
  }

  /** One durable transaction; an error leaves nothing behind. */
  transact<T>(action: () => T): T {
    return this.root.transactionSync(action);
  }

  /** Makes the reads that follow see what was committed last. */
  refresh(): void {
    this.root.resetReadTxn();
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

/** lmdb's memory for values, and views of it by their length: a view for each read would cost as much as the read. */
let shared: Buffer | null = null;
let views: Buffer[] = [];
const LONGEST_VIEW = 1_024;

/** The value in memory that the next read uses again. lmdb's buffer is longer than it says: only a view of it is safe. */
export function readValue(db: ValueDb, key: Hex): Buffer | null {
  const bytes = db.getBinaryFast(key);
  if (bytes === undefined) return null;
  const { length } = bytes;
  if (length > LONGEST_VIEW) return bytes.subarray(0, length);
  if (bytes !== shared) {
    shared = bytes;
    views = [];
  }
  views[length] ??= bytes.subarray(0, length);
  return views[length];
}

/** Of lmdb and of files. EIO is not among them: it may be a full disk too, and the guard of the disk says that. */
const OUT_OF_SPACE = new Set<number | string>([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG']);

export function stateFailure(dir: string, error: unknown): TidepoolError {
  if (error instanceof TidepoolError) return error;
  const { code, message } = error as { code?: number | string; message?: string };
  return code !== undefined && OUT_OF_SPACE.has(code)
    ? new TidepoolError('disk_full', `the keyed state in ${dir} cannot grow: its disk is full`, { cause: error })
    : new TidepoolError('state_failed', `the keyed state in ${dir} failed: ${message}`, { cause: error });
}
