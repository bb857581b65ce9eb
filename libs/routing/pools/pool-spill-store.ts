import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from '#libs/core/ids.js';
import { type RecordedForm, RecordedStore, type RecordedTable } from '#libs/pipeline/state/lmdb/recorded-store.js';
import { decodePoolCopy, encodePoolCopy } from '#libs/protocol/codec/pool-copy-codec.js';
import type { PoolCopy } from '#libs/protocol/pool-copy.js';

/** A pool that is not in memory. */
export interface SpilledPool extends PoolCopy {
  /** Seq of the state that the chain contradicted; null while none did. */
  readonly distrustedAt: number | null;
}

/** Decoded pools that are kept: those that change all the time without being asked for. */
const CACHED_POOLS = 10_000;
/** Changes that wait in memory for a commit. */
const MOST_PENDING = 20_000;

const poolForm: RecordedForm<SpilledPool> = {
  name: 'pools',
  toRow({ distrustedAt, ...copy }) {
    const [part] = encodePoolCopy(copy, Number.MAX_SAFE_INTEGER);
    return [copy.record.pool, distrustedAt, Buffer.from(part!.value).toString('base64')];
  },
  fromRow(row) {
    const [pool, distrustedAt, bytes] = row as [Hex, number | null, string];
    const copy = decodePoolCopy(pool, Buffer.from(bytes, 'base64'), () => undefined);
    return copy === null ? null : { ...copy, distrustedAt };
  },
};

const tokenForm: RecordedForm<readonly Hex[]> = {
  name: 'tokens',
  toRow: (pools) => pools,
  fromRow: (row) => row as Hex[],
};

/**
 * The pools of a book that are not in memory, by id, and which of them are a token's. A helper of one process: its files lose their
 * names as soon as they are open, so that nothing is left of them however the process ends.
 */
export class PoolSpillStore {
  private readonly pools: RecordedTable<SpilledPool>;
  private readonly tokens: RecordedTable<readonly Hex[]>;
  private committing: Promise<void> | null = null;

  private constructor(
    private readonly store: RecordedStore<number>,
    private readonly mostPending = MOST_PENDING,
  ) {
    this.pools = store.table(poolForm);
    this.tokens = store.table(tokenForm);
  }

  static inHeap(): PoolSpillStore {
    return new PoolSpillStore(RecordedStore.inHeap());
  }

  /** On the disk of a folder. */
  static open(folder: string, { mostPending = MOST_PENDING } = {}): PoolSpillStore {
    mkdirSync(folder, { recursive: true });
    const dir = mkdtempSync(join(folder, 'pools-'));
    try {
      return new PoolSpillStore(RecordedStore.open(dir, { cacheEntries: CACHED_POOLS }), mostPending);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }

  get size(): number {
    return this.pools.size;
  }

  pool(id: Hex): SpilledPool | null {
    return this.pools.get(id);
  }

  /** Null where the token's pools are not here. */
  poolsOf(token: Hex): readonly Hex[] | null {
    return this.tokens.get(token);
  }

  setPool(id: Hex, pool: SpilledPool | null): void {
    this.pools.set(id, pool);
  }

  setToken(token: Hex, pools: readonly Hex[] | null): void {
    this.tokens.set(token, pools);
  }

  /** Takes to disk what waits for it, once that is much. */
  async settle(): Promise<void> {
    if (this.committing !== null || this.store.pending < this.mostPending) return this.committing ?? undefined;
    this.committing = this.store.commit(0).finally(() => {
      this.committing = null;
    });
    return this.committing;
  }

  /** Nothing may be asked for any more. */
  async close(): Promise<void> {
    await this.committing?.catch(() => undefined);
    await this.store.close();
  }
}
