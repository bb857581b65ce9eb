import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { CacheBudget, ValueCache } from '../value-cache.js';

/** How the entries of a table are kept: rows are plain JSON-like values. */
export interface RecordedForm<V> {
  readonly name: string;
  toRow(value: V): unknown;
  /** Null for a row that this program has no use for. */
  fromRow(row: unknown): V | null;
}

/** Entries by id. Null: there is none. */
export interface RecordedTable<V> {
  get(id: string): V | null;
  set(id: string, value: V | null): void;
  entries(): Iterable<[id: string, value: V]>;
  readonly size: number;
}

/** What of a table was recorded at a height. */
export interface Recorded {
  readonly height: number;
  readonly table: string;
  readonly id: string;
}

const FORMAT = 'tidepool-recorded-store-1';
const TABLE = 'table/';
const HEIGHT_DIGITS = 13;
const MAP_BYTES = 2 ** 40;
const DEFAULT_CACHE_ENTRIES = 400_000;

type Row = unknown;
type Rows = Database<Row, string>;

/** The lmdb environment: one database a table, one for the order of heights, one for the mark. */
class RecordedEnv {
  readonly order: Rows;
  readonly meta: Rows;
  private readonly root: RootDatabase<Row, string>;
  private readonly tables = new Map<string, Rows>();

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true });
    const options = { path: dir, noSubdir: false, maxDbs: 32, mapSize: MAP_BYTES, overlappingSync: false };
    this.root = open<Row, string>({ ...options, eventTurnBatching: false, encoding: 'json' });
    this.order = this.root.openDB<Row, string>({ name: 'order', encoding: 'json' });
    this.meta = this.root.openDB<Row, string>({ name: 'meta', encoding: 'json' });
    if (this.meta.get('format') !== FORMAT) this.clear();
  }

  table(name: string): Rows {
    let rows = this.tables.get(name);
    if (rows === undefined) {
      rows = this.root.openDB<Row, string>({ name: TABLE + name, encoding: 'json' });
      this.tables.set(name, rows);
    }
    return rows;
  }

  /** One durable transaction, flushed by a thread of lmdb's. */
  transact(action: () => void): Promise<void> {
    return this.root.transaction(action);
  }

  /** Empties every table there is, whether this program asked for it or not. */
  clear(): void {
    this.root.transactionSync(() => {
      for (const name of [...this.root.getKeys({})]) {
        if (name.startsWith(TABLE)) this.table(name.slice(TABLE.length)).clearSync();
      }
      this.order.clearSync();
      this.meta.clearSync();
      this.meta.putSync('format', FORMAT);
    });
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

/**
 * Tables by id on disk, and which of their entries were recorded at which height of a chain, so that what came above a height
 * can be taken back.
 * Invariant: what is on disk is what there was at the mark, a place in a log, exactly. What changed since then is in memory alone until a
 * commit takes it there, all of it in one transaction; a store that is opened again is at its mark.
 */
export class RecordedStore<Mark> {
  private readonly tables = new Map<string, StoredTable<never>>();
  private readonly budget: CacheBudget;
  /** True: the entry was recorded since the commit; false: it was taken back. */
  private order = new Map<string, boolean>();

  private constructor(
    private readonly env: RecordedEnv | null,
    cacheEntries: number,
  ) {
    this.budget = new CacheBudget(cacheEntries);
  }

  /** One that is in memory alone. */
  static inHeap<Mark>(): RecordedStore<Mark> {
    return new RecordedStore<Mark>(null, 0);
  }

  /** One that wrote in another form is begun again: the log has everything. */
  static open<Mark>(dir: string, { cacheEntries = DEFAULT_CACHE_ENTRIES } = {}): RecordedStore<Mark> {
    return new RecordedStore<Mark>(new RecordedEnv(dir), cacheEntries);
  }

  get mark(): Mark | null {
    return (this.env?.meta.get('mark') as Mark | undefined) ?? null;
  }

  /** Changes that no commit has taken yet. */
  get pending(): number {
    let count = this.order.size;
    for (const table of this.tables.values()) count += table.pending;
    return count;
  }

  /** The table of that name; one object for as long as the store is open. */
  table<V>(form: RecordedForm<V>): RecordedTable<V> {
    let table = this.tables.get(form.name) as StoredTable<V> | undefined;
    if (table === undefined) {
      table = new StoredTable(form, this.env?.table(form.name) ?? null, new ValueCache(this.budget));
      this.tables.set(form.name, table as unknown as StoredTable<never>);
    }
    return table;
  }

  /** The entry belongs to a height from now on. */
  recorded(height: number, table: string, id: string): void {
    this.order.set(orderKey(height, table, id), true);
  }

  /** What was recorded above a height, highest first; it belongs to no height any more. */
  takeAbove(height: number): Recorded[] {
    const from = heightKey(height + 1);
    const keys = new Set([...this.order].filter(([key, added]) => added && key >= from).map(([key]) => key));
    for (const key of keys) this.order.delete(key);
    for (const key of this.env?.order.getKeys({ start: from }) ?? []) {
      if (this.order.get(key) === false) continue;
      this.order.set(key, false);
      keys.add(key);
    }
    return [...keys].sort().reverse().map(recordedOf);
  }

  /** Takes what is pending to disk: from then on that is at this mark. */
  async commit(mark: Mark): Promise<void> {
    const { env } = this;
    if (env === null) return;
    const tables = [...this.tables.values()];
    const order = new Map(this.order);
    const taken = tables.map((table) => table.take());
    await env.transact(() => {
      for (const [n, table] of tables.entries()) table.write(taken[n]!);
      for (const [key, added] of order) {
        if (added) env.order.put(key, 0);
        else env.order.remove(key);
      }
      env.meta.put('mark', mark);
    });
    forget(this.order, order);
    for (const [n, table] of tables.entries()) table.written(taken[n]!);
  }

  /** Forgets what no commit took. */
  discard(): void {
    this.order = new Map();
    for (const table of this.tables.values()) table.discard();
  }

  /** Forgets everything, on disk too. */
  clear(): void {
    this.discard();
    this.env?.clear();
    for (const table of this.tables.values()) table.forgetCached();
  }

  async close(): Promise<void> {
    await this.env?.close();
  }
}

class StoredTable<V> implements RecordedTable<V> {
  private changed = new Map<string, V | null>();
  /** How many more entries there are than on disk. */
  private added = 0;

  constructor(
    private readonly form: RecordedForm<V>,
    private readonly rows: Rows | null,
    private readonly cache: ValueCache<V>,
  ) {}

  get size(): number {
    const stats = this.rows?.getStats() as { entryCount: number } | undefined;
    return (stats?.entryCount ?? 0) + this.added;
  }

  get pending(): number {
    return this.changed.size;
  }

  get(id: string): V | null {
    const changed = this.changed.get(id);
    if (changed !== undefined || this.rows === null) return changed ?? null;
    const cached = this.cache.get(id);
    if (cached !== undefined) return cached;
    const row = this.rows.get(id);
    const value = row === undefined ? null : this.form.fromRow(row);
    this.cache.set(id, value);
    return value;
  }

  set(id: string, value: V | null): void {
    this.added += (value === null ? 0 : 1) - (this.get(id) === null ? 0 : 1);
    if (value === null && this.rows === null) this.changed.delete(id);
    else this.changed.set(id, value);
  }

  *entries(): Iterable<[string, V]> {
    for (const { key, value } of this.rows?.getRange({}) ?? []) {
      const entry = this.changed.has(key) ? null : this.form.fromRow(value);
      if (entry !== null) yield [key, entry];
    }
    for (const [id, value] of this.changed) if (value !== null) yield [id, value];
  }

  /** What a commit takes. It may change again before the commit ends. */
  take(): Taken {
    return { changed: new Map(this.changed), added: this.added };
  }

  /** Inside of a transaction. */
  write({ changed }: Taken): void {
    for (const [id, value] of changed as Map<string, V | null>) {
      if (value === null) this.rows!.remove(id);
      else this.rows!.put(id, this.form.toRow(value));
    }
  }

  written({ changed, added }: Taken): void {
    for (const [id, value] of changed as Map<string, V | null>) this.cache.set(id, value);
    forget(this.changed, changed);
    this.added -= added;
  }

  discard(): void {
    this.changed = new Map();
    this.added = 0;
  }

  forgetCached(): void {
    this.cache.clear();
  }
}

interface Taken {
  readonly changed: Map<string, unknown>;
  readonly added: number;
}

/** Removes from a map what another one holds alike. */
function forget(from: Map<string, unknown>, taken: Map<string, unknown>): void {
  for (const [key, value] of taken) if (from.get(key) === value) from.delete(key);
}

const heightKey = (height: number): string => Math.max(0, height).toString(16).padStart(HEIGHT_DIGITS, '0');
const orderKey = (height: number, table: string, id: string): string => `${heightKey(height)} ${table} ${id}`;

function recordedOf(key: string): Recorded {
  const [height, table, id] = key.split(' ') as [string, string, string];
  return { height: Number.parseInt(height, 16), table, id };
}
