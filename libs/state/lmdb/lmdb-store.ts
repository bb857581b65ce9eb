import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { KeyedState, type KeyedStateOptions } from '../keyed-state.js';
import type { RewindPoint, SealedStore, SealedView } from '../sealed-store.js';
import type { BlockPosition, KeyRange, Space } from '../space.js';
import { CommitThread } from './commit-thread.js';
import { readValue, StateEnv, stateFailure } from './state-env.js';

export interface LmdbStateOptions extends KeyedStateOptions {
  dir: string;
  /** Bound of the undo rows of commits, below which a retraction needs a refold from the beginning. */
  undoBytes?: number;
  /** The compiled entry of the commit thread, where this module is not run compiled. */
  commitThread?: URL;
}

const FORMAT = 1;
const DEFAULT_UNDO_BYTES = 1024 ** 3;
/** Parts of a read ahead that wait for the disk at the same time. */
const WARM_PARTS = 4;
const WARM_PART_LEAST = 16;
const FIRST_KEY = '00';
const LAST_KEY = 'ff'.repeat(1_000);

/** A keyed state on disk. One process has it open at a time: the lock of the instance's folder sees to that. */
export async function openLmdbState(spaces: readonly Space<never>[], options: LmdbStateOptions): Promise<KeyedState> {
  const { dir, undoBytes = DEFAULT_UNDO_BYTES } = options;
  const names = spaces.map(({ name }) => name);
  let env: StateEnv;
  try {
    env = new StateEnv(dir, names);
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
  const thread = new CommitThread({ dir, spaces: names, undoBytes }, file);
  return new KeyedState(spaces, new LmdbStore(env, thread), options);
}

/** Refuses a state of another form; a load that did not come to its end counts as none. */
function describeState(env: StateEnv, dir: string, spaces: readonly Space<never>[]): void {
  const form = { format: FORMAT, spaces: spaces.map(({ name, version }) => ({ name, version })) };
  const known = env.meta.get('form');
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(form)) {
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
 * Sealed state in lmdb: reads come synchronously from its memory map, in this thread; commits are made by another thread, and
 * this one learns of them by a message. Between the two the values of the commit are still overlaid, so either version that
 * is read is right.
 */
class LmdbStore implements SealedStore {
  position: BlockPosition | null;
  newest: number;
  private known: RewindPoint[];
  private readonly reading = new Set<Promise<unknown>>();

  constructor(
    private readonly env: StateEnv,
    private readonly thread: CommitThread,
  ) {
    this.position = env.position;
    this.newest = env.newest;
    this.known = [...env.commits.getRange({})].map(({ key, value }) => ({ commit: key, position: value.before }));
  }

  points(): RewindPoint[] {
    return [...this.known].reverse();
  }

  get(space: number, key: Hex): Buffer | null {
    return readValue(this.env.values[space]!, key);
  }

  range(space: number, { from, to, reverse }: KeyRange): Iterable<{ key: Hex; value: Buffer }> {
    return rangeOf(this.env, space, from, to, reverse ?? false);
  }

  async warm(space: number, keys: Hex[]): Promise<void> {
    const size = Math.max(WARM_PART_LEAST, Math.ceil(keys.length / WARM_PARTS));
    const db = this.env.values[space]!;
    const parts: Promise<void>[] = [];
    for (let from = 0; from < keys.length; from += size) parts.push(db.prefetch(keys.slice(from, from + size)));
    const reading = Promise.all(parts);
    this.reading.add(reading);
    await reading.finally(() => this.reading.delete(reading));
  }

  async commit(records: Buffer<ArrayBuffer>[], position: BlockPosition): Promise<void> {
    const { commit, oldest } = await this.thread.ask({ kind: 'commit', records, position }, memoryOf(records));
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
    return touched.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  }

  async load(records: Buffer<ArrayBuffer>[], position: BlockPosition | null): Promise<void> {
    await this.thread.ask({ kind: 'load', records, position }, memoryOf(records));
    if (position !== null) this.position = position;
    this.env.refresh();
  }

  view(): SealedView {
    this.env.refresh();
    const transaction = this.env.meta.useReadTransaction();
    return {
      // This thread may not have learned of the newest commit yet.
      position: (this.env.meta.get('position', { transaction }) as BlockPosition | undefined) ?? null,
      page: (space, from, limit) =>
        [...this.env.values[space]!.getRange({ start: startOf(from), limit, transaction })].map(({ key, value }) => ({
          key,
          value: Buffer.from(value),
        })),
      release: () => transaction.done(),
    };
  }

  async close(): Promise<void> {
    await this.thread.close();
    // They read in threads of their own.
    await Promise.allSettled(this.reading);
    await this.env.close();
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

const memoryOf = (records: Buffer<ArrayBuffer>[]): ArrayBuffer[] => records.map(({ buffer }) => buffer);
