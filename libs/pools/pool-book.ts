import { LogBrokenError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup, PoolStateFact } from '#libs/protocol/facts.js';
import { LivePool } from './live-pool.js';

/** The block that the states are of. */
export interface BookHead {
  height: number;
  hash: Hex;
  /** Unix ms, the block's own time. */
  time: number;
}

/**
 * Live state of every pool of one chain at one block, from facts alone: what is quoted. Invariant: after any sequence of
 * blocks and retractions it holds what the surviving blocks alone would have left; groups come in order, repeats are
 * ignored. A group is applied in one turn of the event loop, so that a reader between two turns sees one block.
 */
export class PoolBook {
  private readonly byId = new Map<Hex, LivePool>();
  private readonly byToken = new Map<Hex, Set<LivePool>>();
  private at: BookHead | null = null;
  private position = -1;
  private changes = 0;
  /** Changes when a pool appears or is removed: data derived from the graph is stale then. */
  graphVersion = 0;
  /** The pools of the last moves of the graph. */
  private readonly moves: LivePool[] = [];

  /** Seq of the last group taken over; −1 before the first. */
  get seq(): number {
    return this.position;
  }

  /** Moves with whatever may change a quote. */
  get version(): number {
    return this.changes;
  }

  get head(): BookHead | null {
    return this.at;
  }

  get size(): number {
    return this.byId.size;
  }

  pool(id: Hex): LivePool | null {
    return this.byId.get(id) ?? null;
  }

  pools(): Iterable<LivePool> {
    return this.byId.values();
  }

  /**
   * Pools that appeared or were removed after a version of the graph, in order; null when that is too long ago to be
   * known.
   */
  movedSince(graphVersion: number): readonly LivePool[] | null {
    const count = this.graphVersion - graphVersion;
    if (count > this.moves.length) return null;
    return count === 0 ? [] : this.moves.slice(-count);
  }

  poolsOf(token: Hex): ReadonlySet<LivePool> {
    return this.byToken.get(token) ?? NONE;
  }

  /**
   * The chain's quoter disagrees with this pool: not quoted until the log brings a state that does not derive from this
   * one.
   */
  distrust(id: Hex): void {
    this.changes++;
    this.byId.get(id)?.distrust();
  }

  /**
   * A pool of a copy that was taken at `seq`; its state is whole. It may be newer than where the book starts: facts are
   * absolute, so that at `seq` and above the pool is what its facts made it.
   */
  load(record: PoolRecord, state: PoolStateFact, seq: number): void {
    this.changes++;
    this.add(record, seq).set(state, seq);
  }

  /** The copy is complete up to `seq`, which is that of this block: groups above it come next. */
  startAt(seq: number, head: BookHead | null): void {
    this.position = seq;
    this.at = head;
  }

  /** The next group of the log; false when it is a repeat. */
  apply(facts: FactsGroup): boolean {
    if (facts.seq <= this.position) return false;
    if (facts.seq !== this.position + 1) {
      throw new LogBrokenError(`pools: expected facts seq ${this.position + 1}, got ${facts.seq}`);
    }
    this.position = facts.seq;
    if (facts.kind === 'finalize') return true;
    this.changes++;
    if (facts.kind === 'epoch') {
      this.at = null;
      return true;
    }
    if (facts.kind === 'block') for (const record of facts.pools) this.add(record, facts.seq);
    else for (const id of facts.removedPools) this.remove(id);
    for (const state of facts.poolStates) this.byId.get(state.pool)?.set(state, facts.seq);
    this.at = { height: facts.height, hash: facts.hash, time: facts.time };
    return true;
  }

  private add(record: PoolRecord, seq: number): LivePool {
    const known = this.byId.get(record.pool);
    if (known !== undefined) return known;
    const pool = new LivePool(record, seq);
    this.byId.set(record.pool, pool);
    for (const token of [record.token0, record.token1]) {
      const pools = this.byToken.get(token);
      if (pools === undefined) this.byToken.set(token, new Set([pool]));
      else pools.add(pool);
    }
    this.moved(pool);
    return pool;
  }

  private remove(id: Hex): void {
    const pool = this.byId.get(id);
    if (pool === undefined) return;
    this.byId.delete(id);
    for (const token of [pool.token0, pool.token1]) {
      const pools = this.byToken.get(token)!;
      pools.delete(pool);
      if (pools.size === 0) this.byToken.delete(token);
    }
    this.moved(pool);
  }

  private moved(pool: LivePool): void {
    this.graphVersion++;
    this.moves.push(pool);
    if (this.moves.length > 2 * REMEMBERED_MOVES) this.moves.splice(0, REMEMBERED_MOVES);
  }
}

const REMEMBERED_MOVES = 256;
const NONE: ReadonlySet<LivePool> = new Set();
