import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hex } from '#libs/core/ids.js';
import type { PackedRecord } from '../packed-records.js';
import type { CommitFiles } from './commit-files.js';
import { CommitRuns } from './commit-runs.js';
import type { StateEnv } from './state-env.js';

/** Keys of one transaction. With more, lmdb's list of changed pages gets long. */
const SLICE_KEYS = 20_000;

/**
 * Takes the older commit file into lmdb's trees, in key order: neighbours share the pages that are written.
 * Invariant: until the transaction that drops the file, every key in it is read from its memtable; so it does not matter how much
 * of it the trees have, and a merge that was stopped begins again.
 */
export class Merger {
  private running: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly dir: string,
    private readonly env: StateEnv,
    private readonly files: CommitFiles,
    private readonly ended: (error: unknown) => void,
  ) {}

  /** Begins, if there is something to merge; commits come between its transactions. */
  start(): void {
    if (this.running !== null || this.env.extents.merging === null) return;
    this.stopped = false;
    this.running = this.run()
      .then(
        (whole) => {
          if (whole) this.ended(null);
        },
        (error) => this.ended(error),
      )
      .finally(() => {
        this.running = null;
      });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** False: it was stopped. */
  private async run(): Promise<boolean> {
    const extent = this.env.extents.merging!;
    if (extent.length > 0 && !(await this.takeOver(new CommitRuns(this.dir, extent)))) return false;
    this.env.transact(() => this.env.putExtents({ ...this.env.extents, merging: null }));
    this.files.remove(extent.generation);
    return true;
  }

  private async takeOver(runs: CommitRuns): Promise<boolean> {
    try {
      for (let slice = runs.take(SLICE_KEYS); slice.length > 0; slice = runs.take(SLICE_KEYS)) {
        await this.bringIntoMemory(slice);
        if (this.stopped) return false;
        this.env.transact(() => {
          for (const { space, key, value } of slice) this.env.put(space, key, value);
        });
        await nextTurn();
        if (this.stopped) return false;
      }
      return true;
    } finally {
      runs.close();
    }
  }

  /** Other threads wait for the disk, side by side. */
  private async bringIntoMemory(slice: readonly PackedRecord[]): Promise<void> {
    const keys = new Map<number, Hex[]>();
    for (const { space, key } of slice) {
      const known = keys.get(space);
      if (known === undefined) keys.set(space, [key]);
      else known.push(key);
    }
    await Promise.all([...keys].map(([space, wanted]) => this.env.bringIntoMemory(space, wanted)));
  }
}
