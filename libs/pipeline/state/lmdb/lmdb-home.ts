import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { TidepoolError } from '#libs/core/errors.js';
import type { KeyedState, KeyedStateOptions } from '../keyed-state.js';
import type { Space } from '../space.js';
import type { KeptState, StateHome } from '../state-home.js';
import { type LmdbStateOptions, openLmdbState } from './lmdb-store.js';

/** The folders that this process uses: the end of the newest turn of each, and the state that is open. */
const turns = new Map<string, Promise<void>>();
const opened = new Map<string, KeyedState>();

export type LmdbHomeOptions = Pick<LmdbStateOptions, 'undoBytes' | 'commitThread'>;

/**
 * A home in a folder, with the successor in `<folder>.next`. The folder's instance lock keeps other processes away; within this
 * one an opening waits until the state that was opened before is closed.
 *
 * A promotion removes the folder and renames the other one: where only `.next` is left, that is the state.
 */
export class LmdbHome implements StateHome {
  private readonly nextDir: string;

  constructor(
    readonly dir: string,
    private readonly spaces: readonly Space<never>[],
    private readonly options: LmdbHomeOptions = {},
  ) {
    this.nextDir = `${dir}.next`;
  }

  async open(options: KeyedStateOptions = {}): Promise<KeyedState> {
    const { dir, nextDir } = this;
    const done = await this.turn();
    try {
      if (!existsSync(dir) && existsSync(nextDir)) await rename(nextDir, dir);
      else await rm(nextDir, { recursive: true, force: true });
      const state = await openLmdbState(this.spaces, { ...this.options, ...options, dir });
      opened.set(dir, state);
      state.onClosed(() => {
        opened.delete(dir);
        done();
      });
      return state;
    } catch (error) {
      done();
      throw error;
    }
  }

  async openNext(options: KeyedStateOptions = {}): Promise<KeyedState> {
    await rm(this.nextDir, { recursive: true, force: true });
    return openLmdbState(this.spaces, { ...this.options, ...options, dir: this.nextDir });
  }

  async promote(current: KeyedState, next: KeyedState): Promise<void> {
    const turn = this.turn();
    await next.close();
    await current.close();
    const done = await turn;
    try {
      if (!existsSync(this.nextDir)) throw new TidepoolError('state_failed', `${this.nextDir} was removed`);
      await rm(this.dir, { recursive: true, force: true });
      await rename(this.nextDir, this.dir);
    } finally {
      done();
    }
  }

  async kept(): Promise<KeptState> {
    if (!existsSync(this.dir) && !existsSync(this.nextDir)) return { committed: null, points: [] };
    const inUse = opened.get(this.dir);
    const state = inUse ?? (await this.open());
    try {
      return { committed: state.committed, points: state.points() };
    } finally {
      if (inUse === undefined) await state.close();
    }
  }

  async remove(): Promise<void> {
    const done = await this.turn();
    try {
      for (const dir of [this.dir, this.nextDir]) await rm(dir, { recursive: true, force: true });
    } finally {
      done();
    }
  }

  /** Waits for its turn; the answer ends it. */
  private async turn(): Promise<() => void> {
    let done: () => void = () => undefined;
    const before = turns.get(this.dir);
    turns.set(
      this.dir,
      new Promise((resolve) => {
        done = resolve;
      }),
    );
    await before;
    return done;
  }
}
