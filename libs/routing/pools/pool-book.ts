// Room: every pool of a chain at one block, in memory, from facts or from accounts. May import core, protocol,
// chain/amm, chain/chains, chain/market-ports, pipeline/event-log, pipeline/epochs, pipeline/state,
// pipeline/projections.

import { LogBrokenError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup, PoolStateFact } from '#libs/protocol/facts.js';
import { LivePool } from './live-pool.js';
import type { PoolSpillStore } from './pool-spill-store.js';
import { TokenPools } from './token-pools.js';

/** The block that the states are of. */
export interface BookHead {
  height: number;
  hash: Hex;
  /** Unix ms, the block's own time. */
  time: number;
}

/** How much of a book is in memory. */
export interface BookMemory {
  /** Most pools in memory; those between two tokens that routes lead through stay in any case. */
  readonly pools: number;
  /** Tokens whose pools are treated so from the start: those that set prices. */
  readonly leading: readonly Hex[];
  /** Where the others go; asked for when the first one does. */
  readonly openShelf: () => PoolSpillStore;
  /** Tokens whose pools stay in memory whatever the bound: those that were named last; 8 when absent. A question names two. */
  readonly lastTokens?: number;
}

const LAST_TOKENS = 8;

/**
 * Live state of every pool of one chain at one block, from facts alone: what is quoted. Invariant: after any sequence of
 * blocks and retractions it holds what the surviving blocks alone would have left; groups come in order, repeats are
 * ignored. A group is applied in one turn of the event loop, so that a reader between two turns sees one block.
 *
 * With a bound of memory some pools are on a shelf. A route comes to no token twice, so no route leads through a token whose pools are
 * all with the same other one: such a pool is of use to those who name the token, and comes back when they do. Every pool between
 * two other tokens is in memory. So a caller that names the tokens of its question first finds what a book without a bound would find.
 */
export class PoolBook {
  private readonly byId = new Map<Hex, LivePool>();
  private readonly byToken = new Map<Hex, TokenPools>();
  /** Tokens in memory that no route leads through, the one that was asked for longest ago first. */
  private readonly deadEnds = new Set<Hex>();
  private shelf: PoolSpillStore | null = null;
  private closed = false;
  private at: BookHead | null = null;
  private position = -1;
  private changes = 0;
  /** Changes when a pool comes to memory or leaves it: data derived from the graph is stale then. */
  graphVersion = 0;
  /** The pools of the last moves of the graph. */
  private readonly moves: LivePool[] = [];

  constructor(private readonly memory?: BookMemory) {
    for (const token of memory?.leading ?? []) this.byToken.set(token, new TokenPools(true));
  }

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

  /** In memory and on the shelf. */
  get size(): number {
    return this.byId.size + (this.shelf?.size ?? 0);
  }

  pool(id: Hex): LivePool | null {
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    const shelved = this.shelf?.pool(id) ?? null;
    if (shelved === null) return null;
    this.bring(shelved.record.token0);
    this.bring(shelved.record.token1);
    return this.byId.get(id)!;
  }

  /** Those in memory. */
  pools(): Iterable<LivePool> {
    return this.byId.values();
  }

  has(pool: LivePool): boolean {
    return this.byId.get(pool.id) === pool;
  }

  /** A question about these tokens comes: their pools are in memory from now on, until many others were asked for. */
  name(...tokens: Hex[]): void {
    for (const token of tokens) this.bring(token);
    this.shrink();
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

  /** All pools of a token that no route leads through; of any other one those in memory, which is all where the others were named. */
  poolsOf(token: Hex): ReadonlySet<LivePool> {
    this.bring(token);
    return this.byToken.get(token)?.pools ?? NONE;
  }

  /**
   * The chain's quoter disagrees with this pool: not quoted until the log brings a state that does not derive from this
   * one.
   */
  distrust(id: Hex): void {
    this.changes++;
    this.pool(id)?.distrust();
  }

  /**
   * A pool of a copy that was taken at `seq`; its state is whole. It may be newer than where the book starts: facts are
   * absolute, so that at `seq` and above the pool is what its facts made it.
   */
  load(record: PoolRecord, state: PoolStateFact, seq: number): void {
    this.changes++;
    this.add(record, seq).set(state, seq);
    this.shrink();
  }

  /** A copy that was loaded before is no longer there. */
  unload(id: Hex): void {
    this.changes++;
    this.remove(id);
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
    for (const state of facts.poolStates) this.set(state, facts.seq);
    this.shrink();
    this.at = { height: facts.height, hash: facts.hash, time: facts.time };
    return true;
  }

  /** Takes to disk what waits for it. */
  async settle(): Promise<void> {
    await this.shelf?.settle();
  }

  /** Ends the shelf: pools that are on it are not found any more. */
  async close(): Promise<void> {
    const { shelf } = this;
    this.closed = true;
    this.shelf = null;
    await shelf?.close();
  }

  private add(record: PoolRecord, seq: number): LivePool {
    const known = this.pool(record.pool);
    if (known !== null) return known;
    this.bring(record.token0);
    this.bring(record.token1);
    const pool = new LivePool(record, seq);
    this.insert(pool);
    return pool;
  }

  private set(state: PoolStateFact, seq: number): void {
    const pool = this.byId.get(state.pool);
    if (pool !== undefined) {
      pool.set(state, seq);
      return;
    }
    const shelved = this.shelf?.pool(state.pool) ?? null;
    if (shelved === null) return;
    const live = LivePool.from(shelved);
    if (live.set(state, seq)) this.shelf!.setPool(live.id, live.copy());
  }

  private remove(id: Hex): void {
    const pool = this.pool(id);
    if (pool !== null) this.take(pool);
  }

  /** The token's pools are in memory, and were asked for last. */
  private bring(token: Hex): void {
    const held = this.byToken.get(token);
    if (held === undefined) this.unshelve(token);
    else if (this.deadEnds.delete(token)) this.deadEnds.add(token);
  }

  private unshelve(token: Hex): void {
    const { shelf } = this;
    const ids = shelf?.poolsOf(token) ?? null;
    if (shelf === null || ids === null) return;
    const pools = ids.map((id) => LivePool.from(shelf.pool(id)!));
    for (const pool of pools) {
      // The other token of them all is on the shelf too where it has no other pools.
      for (const end of [pool.token0, pool.token1]) if (!this.byToken.has(end)) shelf.setToken(end, null);
      shelf.setPool(pool.id, null);
      this.insert(pool);
    }
  }

  /** Takes pools to the shelf until the rest is within the bound, or every token is one that routes lead through. */
  private shrink(): void {
    const { memory } = this;
    if (memory === undefined || this.closed) return;
    const { lastTokens = LAST_TOKENS } = memory;
    while (this.byId.size > memory.pools && this.deadEnds.size > lastTokens) {
      const [oldest] = this.deadEnds;
      this.shelf ??= memory.openShelf();
      this.putAway(oldest!, this.shelf);
    }
  }

  private putAway(token: Hex, shelf: PoolSpillStore): void {
    const pools = [...this.byToken.get(token)!.pools];
    const ids = pools.map(({ id }) => id);
    const ends = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
    for (const pool of pools) {
      shelf.setPool(pool.id, pool.copy());
      this.take(pool);
    }
    for (const end of ends) if (!this.byToken.has(end)) shelf.setToken(end, ids);
  }

  private insert(pool: LivePool): void {
    const { token0, token1 } = pool;
    this.byId.set(pool.id, pool);
    for (const [token, other] of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      let held = this.byToken.get(token);
      if (held === undefined) {
        held = new TokenPools(false);
        this.byToken.set(token, held);
      }
      held.add(pool, other);
      if (this.memory === undefined) continue;
      if (held.leads) this.deadEnds.delete(token);
      else this.deadEnds.add(token);
    }
    this.moved(pool);
  }

  private take(pool: LivePool): void {
    this.byId.delete(pool.id);
    for (const token of [pool.token0, pool.token1]) {
      const held = this.byToken.get(token)!;
      held.pools.delete(pool);
      // Other pools of a token that routes lead through may be on the shelf.
      if (held.pools.size > 0 || (held.leads && this.memory !== undefined)) continue;
      this.byToken.delete(token);
      this.deadEnds.delete(token);
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
