import type { Hex } from '#libs/core/ids.js';
import type { EvmVenue, VenueSite } from '#libs/market-ports/evm/evm-venue.js';
import type { BlocksGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { LogMemory } from '#libs/saved-state/known-set-file.js';

export interface KnownPool {
  readonly record: PoolRecord;
  readonly venue: EvmVenue;
  /** Height of the block that recorded it. */
  readonly height: number;
  /** Height from which its state is known from the log alone; null while it waits for an anchor. */
  anchoredAt: number | null;
}

/**
 * Which pools and tokens the published chain has recorded, as of its head. Each entry carries the height that recorded
 * it, so that going back to any height, however deep, is exact: what was recorded above it is unknown again.
 */
export class KnownSet implements LogMemory {
  private readonly pools = new Map<Hex, KnownPool>();
  private readonly tokens = new Map<Hex, number>();
  private readonly unanchored = new Set<Hex>();
  /** Contracts that speak like a pool and are none of ours. True for ever, whatever the chain does. */
  private readonly foreign = new Set<Hex>();

  constructor(private readonly sites: ReadonlyMap<string, Pick<VenueSite, 'venue'>>) {}

  pool(id: Hex): KnownPool | undefined {
    return this.pools.get(id);
  }

  /** As it was at a height: for looking at a branch that leaves the published chain below its head. */
  knowsPool(id: Hex, atHeight: number): boolean {
    const pool = this.pools.get(id);
    return pool !== undefined && pool.height <= atHeight;
  }

  knowsToken(id: Hex, atHeight: number): boolean {
    const height = this.tokens.get(id);
    return height !== undefined && height <= atHeight;
  }

  isForeign(id: Hex): boolean {
    return this.foreign.has(id);
  }

  addForeign(id: Hex): void {
    this.foreign.add(id);
  }

  addToken(token: Hex, height: number): void {
    if (!this.tokens.has(token)) this.tokens.set(token, height);
  }

  addPool(record: PoolRecord, height: number): KnownPool | undefined {
    const venue = this.sites.get(record.venue)?.venue;
    if (!venue) return undefined; // recorded by a program that knew more venues
    const pool: KnownPool = { record, venue, height, anchoredAt: record.created ? height : null };
    this.pools.set(record.pool, pool);
    if (pool.anchoredAt === null) this.unanchored.add(record.pool);
    return pool;
  }

  anchored(id: Hex, height: number): void {
    const pool = this.pools.get(id);
    if (!pool || pool.anchoredAt !== null) return;
    pool.anchoredAt = height;
    this.unanchored.delete(id);
  }

  needsAnchor(id: Hex): boolean {
    return this.unanchored.has(id);
  }

  /** Pools that wait for an anchor and were recorded at or below a height. */
  *waitingForAnchor(atHeight: number): Iterable<KnownPool> {
    for (const id of this.unanchored) {
      const pool = this.pools.get(id)!;
      if (pool.height <= atHeight) yield pool;
    }
  }

  /**
   * The next of them to ask about. They go behind the others: a pool that never answers delays none by more than its own
   * turn.
   */
  nextToAnchor(atHeight: number, most: number): PoolRecord[] {
    const next: PoolRecord[] = [];
    for (const { record } of this.waitingForAnchor(atHeight)) {
      if (next.length === most) break;
      next.push(record);
    }
    for (const { pool } of next) {
      this.unanchored.delete(pool);
      this.unanchored.add(pool);
    }
    return next;
  }

  /** Forgets everything that was recorded above a height. */
  rollback(height: number): void {
    for (const [id, pool] of this.pools) {
      if (pool.height > height) {
        this.pools.delete(id);
        this.unanchored.delete(id);
      } else if (pool.anchoredAt !== null && pool.anchoredAt > height) {
        pool.anchoredAt = null;
        this.unanchored.add(id);
      }
    }
    for (const [id, recorded] of this.tokens) if (recorded > height) this.tokens.delete(id);
  }

  /** Follows a published group, when the set is rebuilt from the log. */
  apply(group: BlocksGroup): void {
    if (group.kind === 'retract') this.rollback(group.height);
    if (group.kind !== 'block') return;
    for (const token of group.tokens) this.addToken(token.token, group.height);
    for (const pool of group.pools) this.addPool(pool, group.height);
    for (const anchor of group.anchors) this.anchored(anchor.pool, group.height);
  }

  get size(): { pools: number; tokens: number; foreign: number; waiting: number } {
    const { pools, tokens, foreign, unanchored } = this;
    return { pools: pools.size, tokens: tokens.size, foreign: foreign.size, waiting: unanchored.size };
  }

  /** Rows for a snapshot file; `restore` takes them back. */
  *rows(): Iterable<KnownRow> {
    for (const { record, height, anchoredAt } of this.pools.values()) {
      const { pool, venue, kind, token0, token1, feePpm, tickSpacing, created } = record;
      yield ['p', pool, venue, kind, token0, token1, feePpm, tickSpacing, created ? 1 : 0, height, anchoredAt];
    }
    for (const [token, height] of this.tokens) yield ['t', token, height];
    for (const id of this.foreign) yield ['f', id];
  }

  restore(row: KnownRow): void {
    if (row[0] === 't') {
      this.addToken(row[1], row[2]);
    } else if (row[0] === 'f') {
      this.addForeign(row[1]);
    } else {
      const [, pool, venue, kind, token0, token1, feePpm, tickSpacing, created, height, anchoredAt] = row;
      this.addPool({ pool, venue, kind, token0, token1, feePpm, tickSpacing, created: created === 1 }, height);
      if (anchoredAt !== null) this.anchored(pool, anchoredAt);
    }
  }
}

export type KnownRow =
  | ['p', Hex, string, PoolRecord['kind'], Hex, Hex, number, number, 0 | 1, number, number | null]
  | ['t', Hex, number]
  | ['f', Hex];
