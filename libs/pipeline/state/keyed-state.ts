// Room: keyed state with undo, in the heap or in lmdb. May import core.

import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import { TimeBudget } from '#libs/core/time-budget.js';
import { Changes, type SpaceChanges, type SpaceReturns } from './changes.js';
import { CommitBatch } from './commit-batch.js';
import { EntryRing } from './entry-ring.js';
import { KeyedSpace, type MutableChange } from './keyed-space.js';
import { unpackRecords } from './packed-records.js';
import type { RewindPoint, SealedStore } from './sealed-store.js';
import type { BlockPosition, Space } from './space.js';

export interface KeyedStateOptions {
  /** Bound of decoded values in memory that the store holds as well. 0: none. */
  cacheEntries?: number;
  steps?: Steps;
}

interface Block {
  readonly position: BlockPosition;
  /** By space; null: the block changed nothing there. */
  readonly changes: SpaceChanges;
}

type AnySpace = Space<unknown>;

/**
 * So many sealed changes are worth a commit; one that is under way is waited for at twice as many. Fewer pay its fixed cost more
 * often. With more, lmdb's list of changed pages gets long, and it moves the half of it for each further page.
 */
export const CHANGES_A_COMMIT = 30_000;

const DEFAULT_CACHE_ENTRIES = 250_000;
const NO_RING = new EntryRing(0);
/** Sealed blocks that are taken into the batch with each new block. */
const BLOCKS_A_TURN = 4;

/**
 * Values by key that blocks change and retractions restore: newest values in memory above a store of sealed ones.
 *
 * Invariants: a value that is read is the one that the surviving blocks gave, whatever was retracted before; the store holds
 * the state after one sealed block and that block's position, never less and never more; above it every unsealed block has
 * the old value of each key it touched. A commit takes the sealed blocks of the moment it begins and stops no block that
 * comes meanwhile. After an error the state is not used again: it is opened again and continues from what was committed.
 */
export class KeyedState {
  private readonly spaces: KeyedSpace<unknown>[];
  private readonly bySpace: Map<AnySpace, KeyedSpace<unknown>>;
  private readonly ring: EntryRing;
  private readonly steps: Steps;
  private unsealed: Block[] = [];
  private block: Block | null = null;
  /** Sealed blocks that no commit has taken yet and that are not in the batch. */
  private sealed: Block[] = [];
  /** What the next commit takes, by space. */
  private batch: CommitBatch;
  private sealedPosition: BlockPosition | null;
  private committing: Promise<void> | null = null;
  private sealedCount = 0;
  private version = 0;
  /** Changes with what the store holds. */
  private storeVersion = 0;
  private rewinding = false;
  private closed = false;
  private failure: TidepoolError | null = null;
  private closedListener: () => void = () => undefined;

  constructor(
    spaces: readonly Space<never>[],
    private readonly store: SealedStore,
    options: KeyedStateOptions = {},
  ) {
    this.ring = new EntryRing(options.cacheEntries ?? DEFAULT_CACHE_ENTRIES);
    this.spaces = (spaces as readonly AnySpace[]).map(
      (space, index) =>
        new KeyedSpace(space, index, store, space.uncached ? NO_RING : this.ring, () => this.touch(index)),
    );
    this.bySpace = new Map(this.spaces.map((keyed) => [keyed.space, keyed]));
    this.batch = new CommitBatch(this.spaces);
    this.sealedPosition = store.position;
    this.steps = options.steps ?? noSteps;
  }

  /** The newest surviving block; null: none yet. */
  get head(): BlockPosition | null {
    return this.unsealed.at(-1)?.position ?? this.sealedPosition;
  }

  /** The newest surviving block at or below a height that can be retracted to, and the next one above it. */
  around(height: number): { at: BlockPosition | null; above: BlockPosition | null } {
    let at = this.unsealed.length;
    while (at > 0 && this.unsealed[at - 1]!.position.height > height) at--;
    return {
      at: this.unsealed[at - 1]?.position ?? this.sealedPosition,
      above: this.unsealed[at]?.position ?? null,
    };
  }

  /** What a start would continue from: the fold reads the log after this seq, and nothing before. */
  get committed(): BlockPosition | null {
    return this.store.position;
  }

  /** Changes with every block, retraction and rewind. */
  get changeCount(): number {
    return this.version;
  }

  get declared(): readonly AnySpace[] {
    return this.spaces.map(({ space }) => space);
  }

  /** A state of which nothing needs to be read ahead. */
  get isSmall(): boolean {
    return this.store.isSmall;
  }

  /** Keys that sealed blocks changed since the last commit began, each block on its own: a commit is due when there are many. */
  get sealedChanges(): number {
    return this.sealedCount;
  }

  /** How many keys they are, as far as is known yet. */
  get sealedKeys(): number {
    return this.batch.size;
  }

  get counts(): { unsealedBlocks: number; overlaid: number; cached: number } {
    return {
      unsealedBlocks: this.unsealed.length,
      overlaid: this.spaces.reduce((sum, { overlaid }) => sum + overlaid, 0),
      cached: this.spaces.reduce((sum, { cached }) => sum + cached, 0),
    };
  }

  space<V>(space: Space<V>): KeyedSpace<V> {
    const keyed = this.bySpace.get(space as AnySpace);
    if (keyed === undefined) throw new TidepoolError('unknown_space', `the state has no space ${space.name}`);
    return keyed as unknown as KeyedSpace<V>;
  }

  beginBlock({ seq, height, hash }: BlockPosition): void {
    this.check();
    const { head } = this;
    if (this.block !== null) throw misuse(`block ${this.block.position.height} is still open`);
    if (head !== null && (height <= head.height || seq <= head.seq))
      throw misuse(`block ${height} (seq ${seq}) does not follow ${head.height} (seq ${head.seq})`);
    this.block = { position: { seq, height, hash }, changes: this.spaces.map(() => null) };
  }

  /** What the block changed: each key that it set, with its value before and after. */
  endBlock(): Changes {
    const { block } = this;
    if (block === null) throw misuse('no block is open');
    for (const keyed of this.spaces) keyed.open = null;
    this.block = null;
    this.unsealed.push(block);
    this.version++;
    // A long run of sealed blocks is not one long turn.
    for (const sealed of this.sealed.splice(0, BLOCKS_A_TURN)) this.batch.add(sealed.changes);
    return new Changes(this.declared, block.changes);
  }

  /** Whether the blocks above this height are all unsealed. */
  canRetractTo(height: number): boolean {
    return this.sealedPosition === null || height >= this.sealedPosition.height;
  }

  /** Takes back the blocks above the height. Answers every key that they had touched, `after` being its value now. */
  retractTo(height: number): Changes {
    this.check();
    if (this.block !== null) throw misuse(`block ${this.block.position.height} is still open`);
    if (!this.canRetractTo(height))
      throw new TidepoolError('retract_out_of_reach', `height ${height} is below the sealed state`);
    const merged: SpaceReturns = this.spaces.map(() => null);
    while (this.unsealed.length > 0 && this.unsealed.at(-1)!.position.height > height) {
      const { changes } = this.unsealed.pop()!;
      for (const { index } of this.spaces) this.undo(index, changes[index] ?? null, merged);
    }
    this.version++;
    return new Changes(this.declared, merged);
  }

  /** Blocks up to this height are never retracted without a rewind: the next commit takes them. */
  seal(height: number): void {
    this.check();
    let count = 0;
    while (count < this.unsealed.length && this.unsealed[count]!.position.height <= height) count++;
    for (const block of this.unsealed.splice(0, count)) {
      this.sealed.push(block);
      this.sealedPosition = block.position;
      for (const changes of block.changes) this.sealedCount += changes?.size ?? 0;
    }
  }

  /**
   * Writes what is sealed, with the position, as one transaction. The log must hold the output of these blocks. Blocks may be
   * applied, retracted and sealed meanwhile; a second commit waits for the first.
   */
  async commit(): Promise<void> {
    while (this.committing !== null) await this.committing;
    this.check();
    if (this.sealedPosition === this.store.position) return;
    this.committing = this.write(this.sealedPosition!);
    try {
      await this.committing;
    } catch (error) {
      this.failure = new TidepoolError('state_failed', 'a commit of the keyed state failed', { cause: error });
      throw error;
    } finally {
      this.committing = null;
    }
  }

  /** Reads ahead for keys that are about to be read. Only a hint: it changes no answer. */
  async warm<V>(space: Space<V>, keys: readonly Hex[]): Promise<void> {
    const keyed = this.space(space);
    const missing = keyed.missing(keys);
    // While a rewind is under way there is no state to read from.
    if (missing.length === 0 || this.rewinding) return;
    if (!keyed.caches) {
      await this.store.warm(keyed.index, missing);
      return;
    }
    const { storeVersion } = this;
    await this.store.fetch(keyed.index, missing, (key, value) => {
      // What a commit changed meanwhile may have an older value here, and no entry any more.
      if (storeVersion === this.storeVersion) keyed.accept(key, value);
    });
  }

  /** States below the committed one that `rewind` can restore, newest first. */
  points(): RewindPoint[] {
    return this.store.points();
  }

  /** The committed state itself and those below it: `rewind` to the first gives up only what no commit of now has. */
  keptStates(): RewindPoint[] {
    return [{ commit: this.store.newest + 1, position: this.store.position }, ...this.points()];
  }

  /**
   * Restores the state of an earlier commit, for a retraction below the sealed state. The survivors after it are then folded
   * again. Answers every key that changed since, with the newest value that is given up and the restored one.
   */
  async rewind(point: RewindPoint): Promise<Changes> {
    while (this.committing !== null) await this.committing;
    this.check();
    if (this.block !== null) throw misuse(`block ${this.block.position.height} is still open`);
    const merged: SpaceReturns = this.spaces.map(() => null);
    const given = this.spaces.map((keyed) => keyed.abandon());
    this.ring.clear();
    this.storeVersion++;
    this.unsealed = [];
    this.sealed = [];
    this.batch = new CommitBatch(this.spaces);
    this.sealedCount = 0;
    const budget = new TimeBudget();
    for (const packed of await this.restore(point)) {
      for (const { space, key, value } of unpackRecords(packed)) {
        if (!given[space]!.has(key)) given[space]!.set(key, value && this.spaces[space]!.space.decode(value));
        if (budget.isOver()) await budget.next();
      }
    }
    this.sealedPosition = this.store.position;
    this.version++;
    for (const { index } of this.spaces) {
      for (const [key, before] of given[index]!) {
        merged[index] ??= new Map();
        merged[index].set(key, { before, after: this.spaces[index]!.get(key) });
        if (budget.isOver()) await budget.next();
      }
    }
    return new Changes(this.declared, merged);
  }

  /** What is open above the committed state is given up already: after a failure only a new start knows what holds. */
  private async restore(point: RewindPoint): Promise<Buffer[]> {
    this.rewinding = true;
    try {
      await this.steps('state.before-rewind');
      const given = await this.store.rewind(point);
      this.storeVersion++;
      await this.steps('state.after-rewind');
      return given;
    } catch (error) {
      this.failure = new TidepoolError('state_failed', 'a rewind of the keyed state failed', { cause: error });
      throw error;
    } finally {
      this.rewinding = false;
    }
  }

  /** Fills an empty state step by step; the position ends it. */
  async load(records: Buffer<ArrayBuffer>[], position: BlockPosition | null): Promise<void> {
    this.check();
    if (this.head !== null) throw misuse('only an empty state is filled');
    await this.store.load(records, position);
    for (const keyed of this.spaces) keyed.abandon();
    this.ring.clear();
    this.storeVersion++;
    this.sealedPosition = this.store.position;
    this.version++;
  }

  /** Called once when the state is closed. */
  onClosed(listener: () => void): void {
    this.closedListener = listener;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.failure ??= new TidepoolError('state_closed', 'the keyed state was closed');
    // Its own caller hears of its failure.
    await this.committing?.catch(() => undefined);
    try {
      await this.store.close();
    } finally {
      this.closedListener();
    }
  }

  private touch(index: number): Map<Hex, MutableChange<unknown>> {
    if (this.block === null) throw misuse('a value is set outside of a block');
    const changes = new Map<Hex, MutableChange<unknown>>();
    this.block.changes[index] = changes;
    this.spaces[index]!.open = changes;
    return changes;
  }

  private undo(index: number, changes: ReadonlyMap<Hex, MutableChange<unknown>> | null, merged: SpaceReturns): void {
    if (changes === null) return;
    merged[index] ??= new Map();
    const all = merged[index];
    for (const [key, { before, after, entry }] of changes) {
      this.spaces[index]!.restore(entry, before);
      const known = all.get(key);
      if (known === undefined) all.set(key, { before: after, after: before });
      else known.after = before;
    }
  }

  private async write(position: BlockPosition): Promise<void> {
    const { sealed, batch } = this;
    this.sealed = [];
    this.batch = new CommitBatch(this.spaces);
    this.sealedCount = 0;
    const budget = new TimeBudget();
    for (const block of sealed) {
      batch.add(block.changes);
      if (budget.isSpent()) await budget.next();
    }
    const records = await batch.encode(budget);
    await this.steps('state.before-commit');
    await this.store.commit(records, position);
    this.storeVersion++;
    await this.steps('state.after-commit');
    await batch.unpin(budget);
  }

  private check(): void {
    if (this.failure !== null) throw this.failure;
  }
}

const misuse = (reason: string): TidepoolError => new TidepoolError('state_misuse', `keyed state: ${reason}`);
