import type { EvmVenueModule, VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { Hex } from '#libs/core/ids.js';
import { type RecordedForm, RecordedStore, type RecordedTable } from '#libs/pipeline/state/lmdb/recorded-store.js';
import type { LogMemory } from '#libs/pipeline/state/saved/known-set-file.js';
import type { KnownStore } from '#libs/pipeline/state/saved/known-store.js';
import type { BlocksGroup, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { type AskAgain, UnfinishedTokens } from '../unfinished-tokens.js';

export interface KnownEvmPool {
  readonly record: PoolRecord;
  readonly venue: EvmVenueModule;
  /** Height of the block that recorded it. */
  readonly height: number;
  /** Height from which its state is known from the log alone; null while it waits for an anchor. */
  readonly anchoredAt: number | null;
}

const POOLS = 'pools';
const TOKENS = 'tokens';
/** A pool's anchor, as an entry of the height that recorded it. */
const ANCHOR = 'anchor';

/**
 * Which pools and tokens the published chain has recorded, as of its head. Each entry carries the height that recorded
 * it, so that going back to any height, however deep, is exact: what was recorded above it is unknown again.
 */
export class KnownSet implements LogMemory {
  private readonly pools: RecordedTable<KnownEvmPool>;
  private readonly tokens: RecordedTable<number>;
  /** Contracts that speak like a pool and are none of ours. True for ever, whatever the chain does. */
  private readonly foreign: RecordedTable<true>;
  /** Those that wait for an anchor, by the height that recorded them. */
  private readonly waiting: RecordedTable<number>;
  /** The same, in the order of their turns. */
  private readonly unanchored = new Set<Hex>();
  private readonly unfinished: UnfinishedTokens;

  constructor(
    private readonly sites: ReadonlyMap<string, Pick<VenueSite, 'venue'>>,
    private readonly store: KnownStore = RecordedStore.inHeap(),
    askAgain: AskAgain = {},
  ) {
    this.unfinished = new UnfinishedTokens(store, askAgain);
    this.pools = store.table(poolForm(sites));
    this.tokens = store.table(heightForm(TOKENS));
    this.foreign = store.table({ name: 'foreign', toRow: () => 1, fromRow: () => true });
    this.waiting = store.table(heightForm('waiting'));
    for (const [id] of this.waiting.entries()) this.unanchored.add(id);
  }

  pool(id: Hex): KnownEvmPool | undefined {
    return this.pools.get(id) ?? undefined;
  }

  /** As it was at a height: for looking at a branch that leaves the published chain below its head. */
  knowsPool(id: Hex, atHeight: number): boolean {
    const pool = this.pools.get(id);
    return pool !== null && pool.height <= atHeight;
  }

  knowsToken(id: Hex, atHeight: number): boolean {
    const height = this.tokens.get(id);
    return height !== null && height <= atHeight;
  }

  isForeign(id: Hex): boolean {
    return this.foreign.get(id) !== null;
  }

  addForeign(id: Hex): void {
    this.foreign.set(id, true);
  }

  /** The record of a token that is new, or more of one that is known. */
  told(record: TokenRecord, height: number): void {
    if (this.tokens.get(record.token) !== null) {
      this.unfinished.further(record, height);
      return;
    }
    this.addToken(record.token, height);
    this.unfinished.first(record);
  }

  tellsMore(record: TokenRecord): boolean {
    return this.unfinished.tellsMore(record);
  }

  /** Tokens that lack something and are to be asked again, of those recorded at or below a height. */
  nextToAsk(atHeight: number, most: number): Hex[] {
    return this.unfinished.next(most, (token) => this.knowsToken(token, atHeight));
  }

  /** Of which the record is not at hand: nothing is asked again. */
  addToken(token: Hex, height: number): void {
    if (this.tokens.get(token) !== null) return;
    this.tokens.set(token, height);
    this.store.recorded(height, TOKENS, token);
  }

  /** A pool that is known stays as it is. */
  addPool(record: PoolRecord, height: number): KnownEvmPool | undefined {
    const known = this.pools.get(record.pool);
    if (known !== null) return known;
    const venue = this.sites.get(record.venue)?.venue;
    if (!venue) return undefined; // recorded by a program that knew more venues
    const pool: KnownEvmPool = { record, venue, height, anchoredAt: record.created ? height : null };
    this.pools.set(record.pool, pool);
    this.store.recorded(height, POOLS, record.pool);
    if (pool.anchoredAt === null) this.wait(record.pool, height);
    return pool;
  }

  anchored(id: Hex, height: number): void {
    const pool = this.pools.get(id);
    if (pool === null || pool.anchoredAt !== null) return;
    this.pools.set(id, { ...pool, anchoredAt: height });
    this.store.recorded(height, ANCHOR, id);
    this.endWait(id);
  }

  private wait(id: Hex, height: number): void {
    this.waiting.set(id, height);
    this.unanchored.add(id);
  }

  private endWait(id: Hex): void {
    this.waiting.set(id, null);
    this.unanchored.delete(id);
  }

  needsAnchor(id: Hex): boolean {
    return this.unanchored.has(id);
  }

  /** Pools that wait for an anchor and were recorded at or below a height. */
  *waitingForAnchor(atHeight: number): Iterable<KnownEvmPool> {
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
    for (const { table, id } of this.store.takeAbove(height)) {
      if (this.unfinished.takeBack(table, id)) continue;
      if (table === TOKENS) {
        this.tokens.set(id, null);
        this.unfinished.forget(id);
      } else if (table === POOLS) {
        this.pools.set(id, null);
        this.endWait(id);
      } else {
        const pool = this.pools.get(id);
        if (pool === null || pool.anchoredAt === null) continue;
        this.pools.set(id, { ...pool, anchoredAt: null });
        this.wait(id, pool.height);
      }
    }
  }

  /** Follows a published group, when the set is rebuilt from the log. */
  apply(group: BlocksGroup): void {
    if (group.kind === 'retract') this.rollback(group.height);
    if (group.kind !== 'block') return;
    for (const token of group.tokens) this.told(token, group.height);
    for (const pool of group.pools) this.addPool(pool, group.height);
    for (const anchor of group.anchors) this.anchored(anchor.pool, group.height);
  }

  get size(): { pools: number; tokens: number; foreign: number; waiting: number; unfinished: number } {
    const { pools, tokens, foreign, unanchored, unfinished } = this;
    const waiting = { waiting: unanchored.size, unfinished: unfinished.size };
    return { pools: pools.size, tokens: tokens.size, foreign: foreign.size, ...waiting };
  }

  /** All of it, as rows of the copy that programs before the store wrote. */
  *rows(): Iterable<KnownRow> {
    for (const [, pool] of this.pools.entries()) yield ['p', ...poolRow(pool)];
    for (const [token, height] of this.tokens.entries()) yield ['t', token, height];
    for (const [id] of this.foreign.entries()) yield ['f', id];
  }

  restore(row: KnownRow): void {
    if (row[0] === 't') {
      this.addToken(row[1], row[2]);
    } else if (row[0] === 'f') {
      this.addForeign(row[1]);
    } else {
      const [, ...rest] = row;
      const { record, height, anchoredAt } = placeOf(rest);
      this.addPool(record, height);
      if (anchoredAt !== null) this.anchored(record.pool, anchoredAt);
    }
  }
}

type PoolRow = [Hex, string, PoolRecord['kind'], Hex, Hex, number, number, 0 | 1, number, number | null];

export type KnownRow = ['p', ...PoolRow] | ['t', Hex, number] | ['f', Hex];

function poolRow({ record, height, anchoredAt }: KnownEvmPool): PoolRow {
  const { pool, venue, kind, token0, token1, feePpm, tickSpacing, created } = record;
  return [pool, venue, kind, token0, token1, feePpm, tickSpacing, created ? 1 : 0, height, anchoredAt];
}

function placeOf(row: PoolRow): Pick<KnownEvmPool, 'record' | 'height' | 'anchoredAt'> {
  const [pool, venue, kind, token0, token1, feePpm, tickSpacing, created, height, anchoredAt] = row;
  const record = { pool, venue, kind, token0, token1, feePpm, tickSpacing, created: created === 1 };
  return { record, height, anchoredAt };
}

const poolForm = (sites: ReadonlyMap<string, Pick<VenueSite, 'venue'>>): RecordedForm<KnownEvmPool> => ({
  name: POOLS,
  toRow: poolRow,
  fromRow: (row) => {
    const place = placeOf(row as PoolRow);
    const venue = sites.get(place.record.venue)?.venue;
    return venue === undefined ? null : { ...place, venue };
  },
});

const heightForm = (name: string): RecordedForm<number> => ({
  name,
  toRow: (height) => height,
  fromRow: (row) => row as number,
});
