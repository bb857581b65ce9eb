import { LRUCache } from 'lru-cache';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import type { Hex } from '#libs/core/ids.js';
import { type PoolAnchor, poolKinds } from '#libs/protocol/blocks.js';
import { MOST_ACCOUNTS } from '#libs/routing/pools/solana/slot-reader.js';
import { anchorFrom } from './anchor-from.js';
import type { KnownSolanaPool, SolanaKnownSet } from './known-set.js';
import type { AccountReads, RawSolanaBlock } from './raw-block.js';
import type { SolanaTables } from './tables.js';

/** Accounts of a pool besides its own and the chain's clock. */
const MOST = MOST_ACCOUNTS - 2;
const POOLS_AT_ONCE = 4;
/** A block waits no longer for accounts; what comes later counts for a later one. */
const LONGEST_WAIT_MS = 250;
/** About an hour and a minute: every pool is read again after the one, and after the other where it has changed unseen. */
const EVERY_SLOTS = 9_000;
const AFTER_CHANGE_SLOTS = 150;
const MOST_TRIES = 10;
const MOST_KNOWN = 100_000;

interface Wanted {
  readonly pool: KnownSolanaPool;
  readonly address: string;
  readonly ranges: SolanaPoolRanges;
  /** The newest slot in which a transaction that went through named the pool. */
  named: number;
  /** What its vaults held by the last event of each. */
  held: [bigint | null, bigint | null];
  /** What the last reading needed. */
  addresses: readonly string[];
  due: number;
  tries: number;
  asking: boolean;
  reading: { slot: number; anchor: PoolAnchor } | null;
}

/**
 * Where the ranges of a pool are not known, they are read from accounts at the head and go into the block that they are the
 * end state of. Invariant: an anchor of slot S is in a block of slot B ≥ S only if no transaction that went through named the
 * pool in the blocks above S up to B: whatever changes a pool names it. Its reserves are those that the log had.
 */
export class RangeAnchors {
  private readonly wanted = new Map<Hex, Wanted>();
  private readonly byAddress = new Map<string, Wanted>();
  /** Moves with every rollback: what was asked for before may be of blocks that are gone. */
  private branch = 0;
  /** Slot of the newest anchor of each pool. */
  private readonly anchored = new LRUCache<Hex, number>({ max: MOST_KNOWN });

  constructor(
    private readonly tables: SolanaTables,
    private readonly known: SolanaKnownSet,
  ) {}

  /** Asks for some of the pools that are wanted, at this slot or later; at once where there is none. Never fails. */
  async read(slot: number, reads: AccountReads, signal: AbortSignal): Promise<void> {
    const { at } = reads;
    if (at === undefined || this.wanted.size === 0) return;
    const due = [...this.wanted.values()].filter((each) => !each.asking && each.reading === null && each.due <= slot);
    const asked = due.slice(0, POOLS_AT_ONCE).map((each) => this.ask(each, slot, at.bind(reads), signal));
    if (asked.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LONGEST_WAIT_MS);
    });
    await Promise.race([Promise.all(asked), late]);
    clearTimeout(timer);
  }

  /** The anchors of a block that was just built; and what is wanted from now on. */
  take(raw: RawSolanaBlock, block: Pick<SourceBlock, 'events'>): PoolAnchor[] {
    const { slot } = raw;
    if (this.wanted.size > 0) this.follow(raw, block);
    const anchors: PoolAnchor[] = [];
    for (const [pool, each] of this.wanted) {
      const { reading } = each;
      if (reading === null || reading.slot > slot) continue;
      each.reading = null;
      if (each.named > reading.slot || !agrees(reading.anchor, each.held)) {
        this.later(each, slot);
        continue;
      }
      anchors.push(reading.anchor);
      this.forget(pool);
      this.anchored.set(pool, slot);
    }
    if (raw.source !== 'history') this.want(slot, block);
    return anchors.sort((a, b) => (a.pool < b.pool ? -1 : 1));
  }

  /** Blocks above this slot are gone. */
  rollback(slot: number): void {
    this.branch++;
    for (const [pool, at] of this.anchored.entries()) if (at > slot) this.anchored.delete(pool);
    for (const each of this.wanted.values()) {
      each.held = [null, null];
      each.reading = null;
    }
  }

  private follow({ slot, transactions }: RawSolanaBlock, { events }: Pick<SourceBlock, 'events'>): void {
    for (const { tx } of transactions) {
      if (tx.failed) continue;
      for (const key of tx.keys) {
        const named = this.byAddress.get(key);
        if (named !== undefined) named.named = slot;
      }
    }
    for (const event of events) {
      const each = event.kind === 'vaults' ? this.wanted.get(event.pool) : undefined;
      if (each === undefined || event.kind !== 'vaults') continue;
      each.held = [event.reserve0 ?? each.held[0], event.reserve1 ?? each.held[1]];
    }
  }

  private want(slot: number, { events }: Pick<SourceBlock, 'events'>): void {
    for (const event of events) {
      if (event.kind !== 'swap' && event.kind !== 'liquidity') continue;
      if (this.wanted.has(event.pool)) continue;
      const at = this.anchored.get(event.pool);
      const isUntold = event.kind === 'liquidity' && event.liquidityDelta === 0n;
      if (at !== undefined && !isUntold && slot - at < EVERY_SLOTS) continue;
      const pool = this.known.pool(event.pool);
      const ranges = pool === undefined ? undefined : this.tables.ranges.get(pool.record.venue);
      if (pool === undefined || ranges === undefined || pool.vaults === null) continue;
      if (!poolKinds[pool.record.kind].inRanges || pool.record.tickSpacing === 0) continue;
      const address = solanaIds.formatAddress(event.pool);
      const due = at === undefined ? slot : Math.max(slot, at + AFTER_CHANGE_SLOTS);
      const each: Wanted = {
        ...{ pool, address, ranges, named: slot, held: [null, null], addresses: [address], due },
        ...{ tries: 0, asking: false, reading: null },
      };
      this.wanted.set(event.pool, each);
      this.byAddress.set(address, each);
    }
  }

  private async ask(
    each: Wanted,
    minSlot: number,
    at: NonNullable<AccountReads['at']>,
    signal: AbortSignal,
  ): Promise<void> {
    each.asking = true;
    const { branch } = this;
    try {
      // The pool itself says which accounts it takes; by then it may take others.
      for (let round = 0; round < 3; round++) {
        const { slot, known } = await at(each.addresses, minSlot, signal);
        const needed = [each.address, ...each.ranges.needs(each.address, known, MOST)];
        const isWhole = needed.every((address) => known.has(address));
        each.addresses = needed;
        if (!isWhole) continue;
        const read = each.ranges.read(each.address, known, MOST);
        const anchor = read && anchorFrom(read, each.pool);
        if (anchor && branch === this.branch) each.reading = { slot, anchor };
        break;
      }
    } catch {
      // A node that does not answer, or is behind, is asked again as the next pool is.
    } finally {
      each.asking = false;
      if (each.reading === null) this.later(each, minSlot);
    }
  }

  /** Tried again after a growing pause; one that cannot be read, not for an hour. */
  private later(each: Wanted, slot: number): void {
    each.tries++;
    each.due = slot + 2 ** Math.min(each.tries - 1, 8);
    if (each.tries < MOST_TRIES) return;
    this.forget(each.pool.record.pool);
    this.anchored.set(each.pool.record.pool, slot);
  }

  private forget(pool: Hex): void {
    const each = this.wanted.get(pool);
    if (each === undefined) return;
    this.wanted.delete(pool);
    this.byAddress.delete(each.address);
  }
}

const agrees = ({ reserve0, reserve1 }: PoolAnchor, [held0, held1]: Wanted['held']): boolean =>
  (held0 ?? reserve0) === reserve0 && (held1 ?? reserve1) === reserve1;
