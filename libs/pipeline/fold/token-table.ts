import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { type PoolRecord, poolKinds, type ReferenceSet, type TokenRecord } from '#libs/protocol/blocks.js';
import { type Backing, backingOf } from './backing.js';
import { type Bounds, type GuardKind, type PoolSide, type SavedToken, tokenPoolsPrefix } from './fold-spaces.js';
import type { FoldStore } from './fold-store.js';
import { type FoldedPoolToken, PoolState } from './pool-state.js';

const LEVEL_STABLE = 0;
const LEVEL_COIN = 1;
export const LEVEL_DIRECT = 2;
export const LEVEL_INDIRECT = 3;
export const LEVEL_NONE = 4;

/** Decimals beyond this are absurd: such a token has amounts but no price and no trades. */
const MAX_DECIMALS = 36;

/** A pool of the table, between two of its tokens. */
export type TablePool = PoolState<TokenEntry>;

/** What backs a token's price; a new object at every change, so that old ones can be compared. */
export interface Selection extends Backing {
  readonly level: number;
  /** The backing as facts have it: equal for equal ones. */
  readonly text: string;
}

/**
 * Guards say for how long a token's selection stays right: while the USD price of `quote` is strictly inside (lo, hi),
 * nothing about the token needs to be looked at again. They are derived and conservative: a guard that is hit too early
 * costs a look, so they may use floats; no result depends on them. This keeps a block's cost proportional to what it
 * changed although every price depends on the coin's.
 */
export interface Guard extends Bounds {
  readonly quote: TokenEntry;
}

/** The range in which every guard on a token holds, or a narrower one. */
export interface Watched {
  lo: number;
  hi: number;
}

/**
 * One token as the fold knows it: named by the reference set, by a metadata record or by a pool.
 * Reference tokens (coin and stables) have `referenceUsd`, all others a selection or none.
 */
export class TokenEntry implements FoldedPoolToken {
  record: TokenRecord | null = null;
  selection: Selection | null = null;
  /** Coin and stables only. */
  referenceUsd: E36 | null = null;
  /** The same as a float, for guards only; NaN for none. */
  roughUsd = Number.NaN;
  /** What the state has of it; null until the block that brought the token ends. */
  saved: SavedToken | null = null;
  /** By kind; null while they are not read. */
  readonly guards: Record<GuardKind, Guard[] | null>;
  /** How much of it is in pools against other tokens that are neither coin nor stable. */
  pooled = 0n;
  /** By kind: guards of others on this token's price; null while that is not known. */
  readonly watched: Record<GuardKind, Watched | null> = [null, null, null];
  private readonly pools: Record<PoolSide, TablePool[] | null>;

  constructor(
    readonly id: Hex,
    readonly role: 'stable' | 'coin' | 'plain',
    private readonly fixedDecimals: number | null,
    /** Null: there is nothing before this entry. */
    private readonly before: TokenTable | null,
  ) {
    this.pools = before === null ? [[], [], []] : [null, null, null];
    this.guards = before === null ? [[], [], []] : [null, null, null];
  }

  /** Nothing was known of it before it came here. */
  get isNew(): boolean {
    return this.before === null;
  }

  get isReference(): boolean {
    return this.role !== 'plain';
  }

  get level(): number {
    if (this.role === 'plain') return this.selection === null ? LEVEL_NONE : this.selection.level;
    return this.role === 'coin' ? LEVEL_COIN : LEVEL_STABLE;
  }

  get decimals(): number | null {
    if (this.fixedDecimals !== null) return this.fixedDecimals;
    const decimals = this.record?.decimals ?? null;
    return decimals !== null && decimals <= MAX_DECIMALS ? decimals : null;
  }

  /** Pools against the coin or a stable. */
  get referencePools(): TablePool[] {
    return this.poolsOf(0);
  }

  /** Pools against all other tokens. */
  get otherPools(): TablePool[] {
    return this.poolsOf(1);
  }

  /** Of those the ones whose other token is priced by coin or stables. */
  get moneyPools(): TablePool[] {
    return this.poolsOf(2);
  }

  /** Null: they are not read. */
  readPools(side: PoolSide): TablePool[] | null {
    return this.pools[side];
  }

  private poolsOf(side: PoolSide): TablePool[] {
    this.pools[side] ??= this.before!.readPoolsOf(this, side);
    return this.pools[side];
  }
}

const sideOf = (other: TokenEntry): PoolSide => (other.isReference ? 0 : 1);

const MOST_NO_POOLS = 10_000;

/**
 * The tokens and pools that were needed of late, as objects that point to each other, above a store that has all of them.
 * Invariants: one object a token and a pool; an object is what the store has, but for what the open block changed. A pool
 * is in exactly one list of each of its two tokens, and in none where its kind sets no price. What a metadata record of a
 * token first said, and the first record of a pool, are valid until the block that brought them is retracted. Nothing leaves the table
 * but all of it at once, and only between two blocks.
 */
export class TokenTable {
  /** Those that are here. */
  readonly tokens = new Map<Hex, TokenEntry>();
  readonly pools = new Map<Hex, TablePool>();
  /** Ids that were looked for and are no pools: who trades is looked for again and again. */
  private readonly noPools = new Set<Hex>();
  /** Tokens that the open block brought. */
  readonly fresh: TokenEntry[] = [];
  readonly coin: TokenEntry;
  readonly stables: TokenEntry[];
  private readonly ticksBefore: number;
  private ticksSet = 0;

  constructor(
    readonly reference: ReferenceSet,
    /** Null: a table that has all there is. */
    private readonly store: FoldStore | null = null,
  ) {
    this.ticksBefore = store?.ticksRead ?? 0;
    this.coin = this.referenceToken(reference.coin.token, 'coin', reference.coin.decimals);
    this.stables = [];
    for (const id of [...new Set(reference.stables)].sort()) {
      if (id !== this.coin.id) this.stables.push(this.referenceToken(id, 'stable', null));
    }
  }

  /** Tokens, pools and ticks that are here, about. */
  get size(): number {
    return this.tokens.size + this.pools.size + this.ticksSet + (this.store?.ticksRead ?? 0) - this.ticksBefore;
  }

  /** The open block set so many ticks. */
  countTicks(set: number): void {
    this.ticksSet += set;
  }

  token(id: Hex): TokenEntry {
    const entry = this.tokens.get(id);
    return entry === undefined ? this.readToken(id) : entry;
  }

  /** Undefined: no such pool. */
  pool(id: Hex): TablePool | undefined {
    return this.pools.get(id) ?? this.readPool(id);
  }

  /** The new pool, or null when it is known already. */
  addPool(record: PoolRecord): TablePool | null {
    if (this.pool(record.pool) !== undefined) return null;
    const pool = this.poolOf(record, false);
    if (poolKinds[record.kind].setsPrice === 'never') return pool;
    const { token0, token1 } = pool;
    this.list(token0, pool, sideOf(token1));
    this.list(token1, pool, sideOf(token0));
    if (token0.isReference || token1.isReference) return pool;
    if (token1.level === LEVEL_DIRECT) this.list(token0, pool, 2);
    if (token0.level === LEVEL_DIRECT) this.list(token1, pool, 2);
    return pool;
  }

  /** The token became one that is priced by coin or stables, or no longer is: to each token it has pools with, they count or not. */
  *setMoney(token: TokenEntry, counts: boolean): Generator<TokenEntry, void> {
    for (const [pool, other] of this.counterparties(token)) {
      const list = other.readPools(2);
      const at = list?.findIndex(({ id }) => id === pool) ?? -1;
      if (list !== null && counts && at < 0) list.push(this.pool(pool)!);
      if (list !== null && !counts && at >= 0) list.splice(at, 1);
      const key = tokenPoolsPrefix(other.id, 2) + pool;
      this.store?.tokenPools.replace(key, counts ? null : true, counts ? true : null);
      yield other;
    }
  }

  /** A token's pools against tokens that are no reference, and those. A hub has more of them than are worth a list. */
  private *counterparties(token: TokenEntry): Generator<[Hex, TokenEntry], void> {
    const read = token.readPools(1);
    if (read !== null) {
      for (const pool of read) yield [pool.id, pool.other(token)];
      return;
    }
    for (const id of this.store!.poolIdsOf(token.id, 1)) {
      const { token0, token1 } = (this.pools.get(id) ?? this.store!.pools.get(id)!).record;
      yield [id, this.token(token0 === token.id ? token1 : token0)];
    }
  }

  /** All tokens that have a pool with a token that is a reference: those whose pools count or not with its price. */
  *tokensAgainst(reference: TokenEntry): Generator<TokenEntry, void> {
    for (const [, other] of this.counterparties(reference)) yield other;
  }

  readPoolsOf(token: TokenEntry, side: PoolSide): TablePool[] {
    return [...this.store!.poolIdsOf(token.id, side)].map((id) => this.pool(id)!);
  }

  private referenceToken(id: Hex, role: 'coin' | 'stable', decimals: number | null): TokenEntry {
    const token = new TokenEntry(id, role, decimals, this.store === null ? null : this);
    token.saved = this.store?.tokens.get(id) ?? null;
    token.record = token.saved?.record ?? null;
    this.tokens.set(id, token);
    return token;
  }

  private readToken(id: Hex): TokenEntry {
    const saved = this.store?.tokens.get(id) ?? null;
    const token = new TokenEntry(id, 'plain', null, saved === null ? null : this);
    this.tokens.set(id, token);
    if (saved === null) {
      this.fresh.push(token);
      return token;
    }
    token.saved = saved;
    token.record = saved.record;
    token.pooled = saved.pooled;
    if (saved.price !== null) {
      const { level, backing } = saved.price;
      token.selection = { ...backingOf(backing!), level, text: backing! };
    }
    return token;
  }

  private readPool(id: Hex): TablePool | undefined {
    if (this.noPools.has(id)) return undefined;
    const saved = this.store?.pools.get(id) ?? null;
    if (saved === null) {
      if (this.noPools.size === MOST_NO_POOLS) this.noPools.clear();
      this.noPools.add(id);
      return undefined;
    }
    const pool = this.poolOf(saved.record, true);
    pool.setScalars(saved);
    pool.saved = saved;
    return pool;
  }

  private poolOf(record: PoolRecord, isKnown: boolean): TablePool {
    const [token0, token1] = [this.token(record.token0), this.token(record.token1)];
    const statedByVaults = this.reference.family === 'solana';
    const pool = new PoolState(record, token0, token1, statedByVaults, isKnown ? this.store : null);
    this.pools.set(record.pool, pool);
    this.noPools.delete(record.pool);
    return pool;
  }

  private list(token: TokenEntry, pool: TablePool, side: PoolSide): void {
    token.readPools(side)?.push(pool);
    this.store?.tokenPools.replace(tokenPoolsPrefix(token.id, side) + pool.id, null, true);
  }
}
