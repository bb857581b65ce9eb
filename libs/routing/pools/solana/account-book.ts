import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { LivePool } from '../live-pool.js';
import type { PoolBook } from '../pool-book.js';
import { AccountFeed } from './account-feed.js';
import { batchesOf } from './batches.js';
import { SolanaBookPool } from './book-pool.js';
import { type ReadCommitment, readSlot } from './slot-reader.js';

export interface AccountBookOptions {
  /** Readers of pools by venue; pools of other venues are left out. */
  venues: readonly SolanaPoolVenue[];
  nodes: SolanaPool;
  /** The pools that the log knows; null while none is served. */
  pools: () => PoolBook | null;
  /** Of those, the ones that are kept; all when absent. */
  choose?: (record: PoolRecord) => boolean;
  /** Venues whose pools are kept: another set when they change; null while that is not known. All when absent. */
  wanted?: () => ReadonlySet<string> | null;
  socketUrls?: readonly string[];
  commitment?: ReadCommitment;
  /** How often everything is read again: without a live socket, and with one. */
  pollMs?: number;
  sweepMs?: number | undefined;
  /** A state that was not confirmed for so long is not quoted. */
  maxAgeMs?: number;
  silenceMs?: number;
  /** Unix seconds that a state's moment may be behind the newest one. */
  momentLag?: number;
  onError?: (error: Error) => void;
}

export interface AccountBookStatus {
  pools: number;
  quotable: number;
  torn: number;
  live: boolean;
  /** Newest slot of any reading; null before the first. */
  slot: number | null;
}

const DEFAULTS = { pollMs: 400, sweepMs: 5_000, maxAgeMs: 15_000, silenceMs: 10_000, momentLag: 2 };
const FAILED_PAUSE_MS = 250;
/** A pool whose node has not come to the slot of its change is asked for again after this. */
const BEHIND_PAUSE_MS = 25;
/** States read again in one turn of the event loop. */
const SLICE = 32;

/**
 * The Solana pools that the log knows, with their states from accounts. Invariant: a state is of one slot; it is quotable
 * only while its newest reading held all that it needs and is younger than the bound. Accounts are read again when a
 * subscription says that one changed, and all of them from time to time: no state depends on a notification.
 */
export class AccountBook {
  private readonly byId = new Map<Hex, SolanaBookPool>();
  private readonly byAddress = new Map<string, Set<SolanaBookPool>>();
  private readonly indexed = new Map<SolanaBookPool, readonly string[]>();
  /** Pools to read as soon as possible, with the slot that the reading has to be of at least. */
  private readonly changed = new Map<SolanaBookPool, number>();
  private readonly sources: ReadonlyMap<string, SolanaPoolVenue>;
  private readonly set: typeof DEFAULTS;
  private readonly commitment: ReadCommitment;
  private feed: AccountFeed | null = null;
  private newest: ChainMoment | null = null;
  private followed: { book: PoolBook; graphVersion: number; wanted: ReadonlySet<string> | null } | null = null;
  private changes = 0;
  private watchedStale = false;
  private wake: (() => void) | null = null;
  private readonly clock: { now(): number; maxAgeMs: number };
  /** Moves when a pool appears or goes. */
  graphVersion = 0;

  constructor(private readonly options: AccountBookOptions) {
    this.sources = new Map(options.venues.map((venue) => [venue.venue, venue]));
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.set = { ...DEFAULTS, ...Object.fromEntries(given.filter(([name]) => name in DEFAULTS)) };
    this.commitment = options.commitment ?? 'confirmed';
    this.clock = { now: () => performance.now(), maxAgeMs: this.set.maxAgeMs };
  }

  /** Changes with everything that may change a quote, except states that become too old. */
  get version(): number {
    return this.changes;
  }

  /** The newest slot of any reading with the chain's clock there. */
  get moment(): ChainMoment | null {
    return this.newest;
  }

  get size(): number {
    return this.byId.size;
  }

  pool(id: Hex): SolanaBookPool | null {
    return this.byId.get(id) ?? null;
  }

  pools(): Iterable<SolanaBookPool> {
    return this.byId.values();
  }

  /** The chain disagrees with this pool: unquoted until its accounts change. */
  distrust(id: Hex): void {
    this.changes++;
    this.byId.get(id)?.distrust();
  }

  status(): AccountBookStatus {
    const all = [...this.byId.values()];
    return {
      pools: all.length,
      quotable: all.filter(({ quotable }) => quotable).length,
      torn: all.filter(({ torn }) => torn).length,
      live: this.feed?.live ?? false,
      slot: this.newest === null ? null : Number(this.newest.slot),
    };
  }

  /** Follows the chain until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { socketUrls = [] } = this.options;
    if (socketUrls.length > 0) {
      this.feed = new AccountFeed({
        ...{ urls: socketUrls, commitment: this.commitment, silenceMs: this.set.silenceMs },
        onChange: (address, slot) => this.note(address, slot),
        onLost: () => this.wakeUp(),
        onLive: () => this.wakeUp(),
      });
    }
    const stop = (): void => this.wakeUp();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        const pause = await this.round(signal);
        if (!signal.aborted) await this.sleep(pause);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      this.feed?.close();
      this.feed = null;
    }
  }

  /** Adopts the log's pools and reads every pool once; pools that still lack accounts are read again. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.follow();
    for (const pool of this.byId.values()) this.mark(pool, 0);
    while (this.changed.size > 0) {
      if (!(await this.readAll([...this.changed.keys()], signal))) await delay(FAILED_PAUSE_MS, undefined, { signal });
    }
  }

  /** One look at what is due. Returns for how long there is nothing to do. */
  private async round(signal: AbortSignal): Promise<number> {
    this.follow();
    const every = this.feed?.live === true ? this.set.sweepMs : this.set.pollMs;
    const now = this.clock.now();
    const due = [...this.byId.values()].filter((pool) => this.changed.has(pool) || now - pool.readAt >= every);
    const isWhole = await this.readAll(due, signal);
    await this.advance(signal);
    this.watch();
    if (!isWhole) return FAILED_PAUSE_MS;
    return this.changed.size > 0 ? BEHIND_PAUSE_MS : Math.min(every, this.set.pollMs);
  }

  private async readAll(pools: readonly SolanaBookPool[], signal: AbortSignal): Promise<boolean> {
    const { batches, tooLarge } = batchesOf(pools);
    for (const pool of tooLarge) this.changed.delete(pool);
    const outcomes = await Promise.all(batches.map((batch) => this.readBatch(batch, signal)));
    return outcomes.every(Boolean);
  }

  private async readBatch(pools: readonly SolanaBookPool[], signal: AbortSignal): Promise<boolean> {
    const { options, commitment } = this;
    const addresses = [...new Set(pools.flatMap((pool) => pool.addresses))];
    const minSlot = Math.max(0, ...pools.map(({ slot }) => slot));
    try {
      const reading = await readSlot(options.nodes, addresses, commitment, minSlot, signal);
      if (this.newest === null || reading.moment.slot > this.newest.slot) this.newest = reading.moment;
      const slot = Number(reading.moment.slot);
      for (const pool of pools) {
        if (this.byId.get(pool.id) !== pool) continue;
        const taken = pool.take(reading);
        if (taken === 'changed' || taken === 'more') this.changes++;
        if (taken === 'more') this.mark(pool, slot);
        else if (taken !== 'older' && (this.changed.get(pool) ?? 0) <= slot) this.changed.delete(pool);
        this.index(pool);
      }
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      options.onError?.(error as Error);
      return false;
    }
  }

  /** Fees that follow the clock: states of a moment too long ago are read again from the same accounts. */
  private async advance(signal: AbortSignal): Promise<void> {
    const { newest } = this;
    if (newest === null) return;
    let count = 0;
    for (const pool of [...this.byId.values()]) {
      const { moment } = pool;
      if (moment === null || newest.unixTime - moment.unixTime <= BigInt(this.set.momentLag)) continue;
      if (pool.advance(newest)) this.changes++;
      if (++count % SLICE !== 0) continue;
      await nextTurn();
      if (signal.aborted) return;
    }
  }

  private note(address: string, slot: number): void {
    for (const pool of this.byAddress.get(address) ?? []) this.mark(pool, slot);
    this.wakeUp();
  }

  private mark(pool: SolanaBookPool, slot: number): void {
    this.changed.set(pool, Math.max(slot, this.changed.get(pool) ?? 0));
  }

  /** Adds the pools that appeared in the log and removes those that are gone. */
  private follow(): void {
    const book = this.options.pools();
    if (book === null) return;
    const { followed, options } = this;
    // What was wanted last counts until another set is known.
    const wanted = options.wanted?.() ?? followed?.wanted ?? null;
    if (options.wanted !== undefined && wanted === null) return;
    if (followed?.book === book && followed.graphVersion === book.graphVersion && followed.wanted === wanted) return;
    this.followed = { book, graphVersion: book.graphVersion, wanted };
    const keeps = ({ record }: LivePool): boolean => wanted?.has(record.venue) ?? true;
    for (const pool of book.pools()) if (!this.byId.has(pool.id) && keeps(pool)) this.add(pool);
    for (const [id, pool] of this.byId) {
      const live = book.pool(id);
      if (live === null || !keeps(live)) this.remove(pool);
    }
  }

  private add({ record }: LivePool): void {
    const source = this.sources.get(record.venue);
    if (source === undefined || this.options.choose?.(record) === false) return;
    const pool = new SolanaBookPool(record, source, this.clock);
    this.byId.set(record.pool, pool);
    this.mark(pool, 0);
    this.index(pool);
    this.moved();
  }

  private remove(pool: SolanaBookPool): void {
    this.byId.delete(pool.id);
    this.changed.delete(pool);
    this.unindex(pool);
    this.moved();
  }

  private moved(): void {
    this.graphVersion++;
    this.changes++;
  }

  private index(pool: SolanaBookPool): void {
    if (this.indexed.get(pool) === pool.addresses) return;
    this.unindex(pool);
    this.indexed.set(pool, pool.addresses);
    for (const address of pool.addresses) {
      const pools = this.byAddress.get(address);
      if (pools === undefined) this.byAddress.set(address, new Set([pool]));
      else pools.add(pool);
    }
    this.watchedStale = true;
  }

  private unindex(pool: SolanaBookPool): void {
    for (const address of this.indexed.get(pool) ?? []) {
      const pools = this.byAddress.get(address)!;
      pools.delete(pool);
      if (pools.size === 0) this.byAddress.delete(address);
    }
    this.indexed.delete(pool);
    this.watchedStale = true;
  }

  private watch(): void {
    if (this.feed === null || !this.watchedStale) return;
    this.watchedStale = false;
    this.feed.watch(new Set(this.byAddress.keys()));
  }

  private wakeUp(): void {
    this.wake?.();
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}
