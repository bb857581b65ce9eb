import { solanaIds } from '#libs/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlocksGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { LogMemory } from '#libs/saved-state/known-set-file.js';

export interface KnownPool {
  readonly record: PoolRecord;
  /** Token accounts that hold its reserves, in the order of its tokens; null where it has none that are known. */
  readonly vaults: readonly [Hex, Hex] | null;
  /** Slot of the block that recorded it. */
  readonly slot: number;
}

export interface VaultPlace {
  readonly pool: KnownPool;
  readonly side: 0 | 1;
}

/**
 * Which pools, vaults and tokens the published chain has recorded, as of its head. Each entry carries the slot that
 * recorded it, so that going back to any slot is exact. Entries come by ascending slot: what is newest goes first. A vault
 * belongs to the first pool that named it.
 */
export class SolanaKnownSet implements LogMemory {
  private readonly pools = new Map<Hex, KnownPool>();
  private readonly tokens = new Map<Hex, number>();
  /** By the base58 text that transactions name them with. */
  private readonly vaults = new Map<string, VaultPlace>();
  private readonly poolOrder: Hex[] = [];
  private readonly tokenOrder: Hex[] = [];

  pool(id: Hex): KnownPool | undefined {
    return this.pools.get(id);
  }

  /** As it was at a slot: for looking at blocks that do not continue the published head. */
  knowsPool(id: Hex, atSlot: number): boolean {
    const pool = this.pools.get(id);
    return pool !== undefined && pool.slot <= atSlot;
  }

  knowsToken(id: Hex, atSlot: number): boolean {
    const slot = this.tokens.get(id);
    return slot !== undefined && slot <= atSlot;
  }

  /** The pool whose vault a token account is; by base58 text. */
  vault(account: string): VaultPlace | undefined {
    return this.vaults.get(account);
  }

  addToken(token: Hex, slot: number): void {
    if (this.tokens.has(token)) return;
    this.tokens.set(token, slot);
    this.tokenOrder.push(token);
  }

  /** A pool that is known stays as it is. Vaults that are another pool's already are not taken. */
  addPool(record: PoolRecord, vaults: readonly [Hex, Hex] | null, slot: number): KnownPool {
    const known = this.pools.get(record.pool);
    if (known) return known;
    const texts = vaults?.map(solanaIds.formatAddress) ?? [];
    const free = vaults !== null && vaults[0] !== vaults[1] && texts.every((text) => !this.vaults.has(text));
    const pool: KnownPool = { record, vaults: free ? vaults : null, slot };
    this.pools.set(record.pool, pool);
    this.poolOrder.push(record.pool);
    if (free) {
      this.vaults.set(texts[0]!, { pool, side: 0 });
      this.vaults.set(texts[1]!, { pool, side: 1 });
    }
    return pool;
  }

  /** Forgets everything that was recorded above a slot. */
  rollback(slot: number): void {
    for (;;) {
      const pool = this.pools.get(this.poolOrder.at(-1) ?? '');
      if (pool === undefined || pool.slot <= slot) break;
      this.poolOrder.pop();
      this.pools.delete(pool.record.pool);
      for (const vault of pool.vaults ?? []) this.vaults.delete(solanaIds.formatAddress(vault));
    }
    for (;;) {
      const token = this.tokenOrder.at(-1);
      if (token === undefined || this.tokens.get(token)! <= slot) break;
      this.tokenOrder.pop();
      this.tokens.delete(token);
    }
  }

  apply(group: BlocksGroup): void {
    if (group.kind === 'retract') this.rollback(group.height);
    if (group.kind !== 'block') return;
    for (const { token } of group.tokens) this.addToken(token, group.height);
    if (group.pools.length === 0) return;
    const vaults = new Map<Hex, readonly [Hex, Hex]>();
    for (const event of group.events) {
      if (event.kind === 'pool-vaults') vaults.set(event.pool, [event.vault0, event.vault1]);
    }
    for (const pool of group.pools) this.addPool(pool, vaults.get(pool.pool) ?? null, group.height);
  }

  get size(): { pools: number; tokens: number; vaults: number } {
    return { pools: this.pools.size, tokens: this.tokens.size, vaults: this.vaults.size };
  }

  *rows(): Iterable<KnownRow> {
    for (const { record, vaults, slot } of this.pools.values()) {
      const { pool, venue, kind, token0, token1, feePpm, tickSpacing, created } = record;
      const at = vaults ?? ['', ''];
      yield ['p', pool, venue, kind, token0, token1, feePpm, tickSpacing, created ? 1 : 0, at[0], at[1], slot];
    }
    for (const [token, slot] of this.tokens) yield ['t', token, slot];
  }

  restore(row: KnownRow): void {
    if (row[0] === 't') {
      this.addToken(row[1], row[2]);
      return;
    }
    const [, pool, venue, kind, token0, token1, feePpm, tickSpacing, created, vault0, vault1, slot] = row;
    const record = { pool, venue, kind, token0, token1, feePpm, tickSpacing, created: created === 1 };
    this.addPool(record, vault0 === '' ? null : [vault0, vault1], slot);
  }
}

type KnownRow =
  | ['p', Hex, string, PoolRecord['kind'], Hex, Hex, number, number, 0 | 1, Hex, Hex, number]
  | ['t', Hex, number];
