import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { type PoolRecord, poolKinds, type ReferenceSet, type TokenRecord } from '#libs/protocol/blocks.js';
import type { Guard, Guarded, GuardSet } from './guards.js';
import { PoolState, type PoolToken } from './pool-state.js';

export const LEVEL_STABLE = 0;
export const LEVEL_COIN = 1;
export const LEVEL_DIRECT = 2;
export const LEVEL_INDIRECT = 3;
export const LEVEL_NONE = 4;

/** Decimals beyond this are absurd: such a token has amounts but no price and no trades. */
const MAX_DECIMALS = 36;

/** A pool of the table, between two of its tokens. */
export type TablePool = PoolState<TokenEntry>;

/** Where a token's spot comes from; a new object at every change, so that old ones can be compared. */
export interface Selection {
  level: number;
  pool: TablePool;
  quote: TokenEntry;
  spot: E36;
  /** The spot as a float, for guards only. */
  roughSpot: number;
}

/**
 * One token as the fold knows it: named by the reference set, by a metadata record or by a pool.
 * Reference tokens (coin and stables) have `referenceUsd`, all others a selection or none.
 */
export class TokenEntry implements Guarded<TokenEntry>, PoolToken {
  record: TokenRecord | null = null;
  selection: Selection | null = null;
  /** Coin and stables only. */
  referenceUsd: E36 | null = null;
  /** The same as a float, for guards only; NaN for none. */
  roughUsd = Number.NaN;
  /** Pools against the coin or a stable. */
  readonly referencePools: TablePool[] = [];
  /** Pools against all other tokens. */
  readonly otherPools: TablePool[] = [];
  readonly guards: [Guard<TokenEntry>[], Guard<TokenEntry>[]] = [[], []];
  watchers: GuardSet<TokenEntry> | null = null;
  referenceGuard: Guard<TokenEntry> | null = null;
  referenceGuards: GuardSet<TokenEntry> | null = null;

  constructor(
    readonly id: Hex,
    readonly role: 'stable' | 'coin' | 'plain',
    private readonly fixedDecimals: number | null = null,
  ) {}

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

  poolsAgainst(other: TokenEntry): TablePool[] {
    return other.isReference ? this.referencePools : this.otherPools;
  }
}

/**
 * All tokens and pools, and the index from a token to its pools. Invariant: a pool is in exactly one list of each of
 * its two tokens, and in none where its kind sets no price. The first metadata record of a token, and the first record
 * of a pool, are valid until the block that brought them is retracted.
 */
export class TokenTable {
  readonly tokens = new Map<Hex, TokenEntry>();
  readonly pools = new Map<Hex, TablePool>();
  private readonly apart = new Set<TablePool>();
  readonly coin: TokenEntry;
  readonly stables: TokenEntry[];

  constructor(readonly reference: ReferenceSet) {
    this.coin = new TokenEntry(reference.coin.token, 'coin', reference.coin.decimals);
    this.tokens.set(this.coin.id, this.coin);
    this.stables = [];
    for (const id of [...new Set(reference.stables)].sort()) {
      if (id === this.coin.id) continue;
      const stable = new TokenEntry(id, 'stable');
      this.stables.push(stable);
      this.tokens.set(id, stable);
    }
  }

  token(id: Hex): TokenEntry {
    let entry = this.tokens.get(id);
    if (entry === undefined) {
      entry = new TokenEntry(id, 'plain');
      this.tokens.set(id, entry);
    }
    return entry;
  }

  /** The new pool, or null when it is known already. */
  addPool(record: PoolRecord): TablePool | null {
    if (this.pools.has(record.pool)) return null;
    const pool = new PoolState(
      record,
      this.token(record.token0),
      this.token(record.token1),
      this.reference.family === 'solana',
    );
    this.pools.set(record.pool, pool);
    if (poolKinds[record.kind].setsPrice === 'never') return pool;
    pool.token0.poolsAgainst(pool.token1).push(pool);
    pool.token1.poolsAgainst(pool.token0).push(pool);
    return pool;
  }

  /** Pools that are set apart. */
  get poolsSetApart(): number {
    return this.apart.size;
  }

  /** The pool was set apart, or is no more. */
  countApart(pool: TablePool): void {
    if (pool.setApart === null) this.apart.delete(pool);
    else this.apart.add(pool);
  }

  removePool(pool: TablePool): void {
    this.pools.delete(pool.id);
    this.apart.delete(pool);
    removeNewest(pool.token0.poolsAgainst(pool.token1), pool);
    removeNewest(pool.token1.poolsAgainst(pool.token0), pool);
  }
}

/** Retracted pools are the newest ones: search from the end. */
function removeNewest(list: TablePool[], pool: TablePool): void {
  const at = list.lastIndexOf(pool);
  if (at >= 0) list.splice(at, 1);
}
