import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { type RecordedForm, RecordedStore, type RecordedTable } from '#libs/pipeline/state/lmdb/recorded-store.js';
import type { LogMemory } from '#libs/pipeline/state/saved/known-set-file.js';
import type { KnownStore } from '#libs/pipeline/state/saved/known-store.js';
import type { BlocksGroup, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { type AskAgain, UnfinishedTokens } from '../unfinished-tokens.js';

export interface KnownSolanaPool {
  readonly record: PoolRecord;
  /** Token accounts that hold its reserves, in the order of its tokens; null where it has none that are known. */
  readonly vaults: readonly [Hex, Hex] | null;
  /** Slot of the block that recorded it. */
  readonly slot: number;
}

export interface VaultPlace {
  readonly pool: KnownSolanaPool;
  readonly side: 0 | 1;
}

const POOLS = 'pools';
const TOKENS = 'tokens';

/**
 * Which pools, vaults and tokens the published chain has recorded, as of its head. Each entry carries the slot that
 * recorded it, so that going back to any slot is exact. A vault belongs to the first pool that named it.
 */
export class SolanaKnownSet implements LogMemory {
  private readonly pools: RecordedTable<KnownSolanaPool>;
  private readonly tokens: RecordedTable<number>;
  /** By the base58 text that transactions name them with. */
  private readonly vaults: RecordedTable<VaultOwner>;
  private readonly unfinished: UnfinishedTokens;

  constructor(
    private readonly store: KnownStore = RecordedStore.inHeap(),
    askAgain: AskAgain = {},
  ) {
    this.unfinished = new UnfinishedTokens(store, askAgain);
    this.pools = store.table(poolForm);
    this.tokens = store.table(tokenForm);
    this.vaults = store.table(vaultForm);
  }

  pool(id: Hex): KnownSolanaPool | undefined {
    return this.pools.get(id) ?? undefined;
  }

  /** As it was at a slot: for looking at blocks that do not continue the published head. */
  knowsPool(id: Hex, atSlot: number): boolean {
    const pool = this.pools.get(id);
    return pool !== null && pool.slot <= atSlot;
  }

  knowsToken(id: Hex, atSlot: number): boolean {
    const slot = this.tokens.get(id);
    return slot !== null && slot <= atSlot;
  }

  /** The pool whose vault a token account is; by base58 text. */
  vault(account: string): VaultPlace | undefined {
    const owner = this.vaults.get(account);
    return owner === null ? undefined : { pool: this.pools.get(owner.pool)!, side: owner.side };
  }

  /** The record of a token that is new, or more of one that is known. */
  told(record: TokenRecord, slot: number): void {
    if (this.tokens.get(record.token) !== null) {
      this.unfinished.further(record, slot);
      return;
    }
    this.addToken(record.token, slot);
    this.unfinished.first(record);
  }

  tellsMore(record: TokenRecord): boolean {
    return this.unfinished.tellsMore(record);
  }

  /** Tokens that lack something and are to be asked again, of those recorded at or below a slot. */
  nextToAsk(atSlot: number, most: number): Hex[] {
    return this.unfinished.next(most, (token) => this.knowsToken(token, atSlot));
  }

  /** Of which the record is not at hand: nothing is asked again. */
  addToken(token: Hex, slot: number): void {
    if (this.tokens.get(token) !== null) return;
    this.tokens.set(token, slot);
    this.store.recorded(slot, TOKENS, token);
  }

  /** A pool that is known stays as it is. Vaults that are another pool's already are not taken. */
  addPool(record: PoolRecord, vaults: readonly [Hex, Hex] | null, slot: number): KnownSolanaPool {
    const known = this.pools.get(record.pool);
    if (known !== null) return known;
    const texts = vaults?.map(solanaIds.formatAddress) ?? [];
    const free = vaults !== null && vaults[0] !== vaults[1] && texts.every((text) => this.vaults.get(text) === null);
    const pool: KnownSolanaPool = { record, vaults: free ? vaults : null, slot };
    this.pools.set(record.pool, pool);
    this.store.recorded(slot, POOLS, record.pool);
    if (free) {
      this.vaults.set(texts[0]!, { pool: record.pool, side: 0 });
      this.vaults.set(texts[1]!, { pool: record.pool, side: 1 });
    }
    return pool;
  }

  /** Forgets everything that was recorded above a slot. */
  rollback(slot: number): void {
    for (const { table, id } of this.store.takeAbove(slot)) {
      if (this.unfinished.takeBack(table, id)) continue;
      if (table === TOKENS) {
        this.tokens.set(id, null);
        this.unfinished.forget(id);
        continue;
      }
      for (const vault of this.pools.get(id)?.vaults ?? []) this.vaults.set(solanaIds.formatAddress(vault), null);
      this.pools.set(id, null);
    }
  }

  apply(group: BlocksGroup): void {
    if (group.kind === 'retract') this.rollback(group.height);
    if (group.kind !== 'block') return;
    for (const record of group.tokens) this.told(record, group.height);
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

  /** All of it, as rows of the copy that programs before the store wrote. */
  *rows(): Iterable<KnownRow> {
    for (const [, pool] of this.pools.entries()) yield ['p', ...poolRow(pool)];
    for (const [token, slot] of this.tokens.entries()) yield ['t', token, slot];
  }

  restore(row: KnownRow): void {
    if (row[0] === 't') {
      this.addToken(row[1], row[2]);
      return;
    }
    const [, ...rest] = row;
    const { record, vaults, slot } = poolOf(rest);
    this.addPool(record, vaults, slot);
  }
}

interface VaultOwner {
  readonly pool: Hex;
  readonly side: 0 | 1;
}

type PoolRow = [Hex, string, PoolRecord['kind'], Hex, Hex, number, number, 0 | 1, Hex, Hex, number];

type KnownRow = ['p', ...PoolRow] | ['t', Hex, number];

function poolRow({ record, vaults, slot }: KnownSolanaPool): PoolRow {
  const { pool, venue, kind, token0, token1, feePpm, tickSpacing, created } = record;
  const at = vaults ?? ['', ''];
  return [pool, venue, kind, token0, token1, feePpm, tickSpacing, created ? 1 : 0, at[0], at[1], slot];
}

function poolOf(row: PoolRow): KnownSolanaPool {
  const [pool, venue, kind, token0, token1, feePpm, tickSpacing, created, vault0, vault1, slot] = row;
  const record = { pool, venue, kind, token0, token1, feePpm, tickSpacing, created: created === 1 };
  return { record, vaults: vault0 === '' ? null : [vault0, vault1], slot };
}

const poolForm: RecordedForm<KnownSolanaPool> = {
  name: POOLS,
  toRow: poolRow,
  fromRow: (row) => poolOf(row as PoolRow),
};

const tokenForm: RecordedForm<number> = { name: TOKENS, toRow: (slot) => slot, fromRow: (row) => row as number };

const vaultForm: RecordedForm<VaultOwner> = {
  name: 'vaults',
  toRow: ({ pool, side }) => [pool, side],
  fromRow: (row) => {
    const [pool, side] = row as [Hex, 0 | 1];
    return { pool, side };
  },
};
