import { tablesOf } from '#libs/pipeline/projections/table.js';
import { requireGuard } from '../insert-guard.js';
import { migrate } from '../migrate.js';
import type { AnalyticsStore, InsertGuard } from '../store.js';
import { StoreError } from '../store-error.js';
import { journalNamed } from './journals.js';
import type { TableBatch } from './table-batch.js';
import type { View } from './view.js';

/** Earliest and latest time of some groups, Unix ms: that of each of their rows is one of them. */
export interface TimesOfGroups {
  from: number;
  to: number;
}

const within = (times?: TimesOfGroups): string =>
  `seq >= {from:UInt64} AND seq <= {to:UInt64}${times === undefined ? '' : TIMES}`;

const TIMES = `
  AND time >= fromUnixTimestamp64Milli({from_time:Int64}, 'UTC')
  AND time <= fromUnixTimestamp64Milli({to_time:Int64}, 'UTC')`;

const parametersOf = (from: number, to: number, times?: TimesOfGroups) => ({
  ...{ from, to },
  ...(times === undefined ? {} : { from_time: times.from, to_time: times.to }),
});

/** What orders the checkpoints of some tables. */
export interface CheckpointPlace {
  readonly generation: number;
  readonly epoch: number;
  readonly seq: number;
  readonly step: number;
}

const whole = (value: number): string => {
  if (!Number.isSafeInteger(value)) throw new StoreError('store_failed', `no whole number: ${value}`);
  return String(value);
};

/** How many of the newest groups the rows of several keys are looked for in together, before each is on its own. */
const RECENT_GROUPS = 50_000;

/** Rows of a key that are looked at before a way is taken that serves any number. */
const FEW_ROWS = 128;

/** The tables of one chain and one generation, in a database of their own (protocol rule 14). */
export class MarketTables {
  readonly database: string;
  private guard: string | null = null;
  /** The engine's types of the columns, by table. */
  private readonly types = new Map<string, ReadonlyMap<string, string>>();

  constructor(
    readonly store: AnalyticsStore,
    readonly chain: string,
    readonly generation: number,
    private readonly recentGroups = RECENT_GROUPS,
    readonly fewRows = FEW_ROWS,
  ) {
    this.database = marketDatabase(chain, generation);
  }

  async exists(): Promise<boolean> {
    const rows = await this.store.query('SELECT name FROM system.databases WHERE name = {database:String}', {
      database: this.database,
    });
    return rows.length > 0;
  }

  async ensure(): Promise<void> {
    await migrate(this.store, this.database);
  }

  /** The groups above it are the newest ones of a view; 0 where all are. */
  recentSince(view: Pick<View, 'seq'>): number {
    return Math.max(0, view.seq - this.recentGroups);
  }

  /**
   * Rows of a journal that came from these groups and are in its copies too: fewer, where a crash cut a copy short. With the
   * times of the groups only what may hold them is looked at, however long the table.
   */
  async countRows(table: string, fromSeq: number, toSeq: number, times?: TimesOfGroups): Promise<number> {
    const journal = journalNamed(table);
    const counts = [await this.count(journal.name, fromSeq, toSeq, times)];
    for (const copy of journal.copies ?? []) {
      counts.push(Math.floor((await this.count(copy.name, fromSeq, toSeq, times)) / copy.rows));
    }
    return Math.min(...counts);
  }

  /** Takes the rows of these groups out of a journal and its copies, unless a checkpoint has reached them by then. */
  async removeRows(table: string, fromSeq: number, toSeq: number, times?: TimesOfGroups): Promise<void> {
    for (const { name } of tablesOf(journalNamed(table))) {
      await this.store.command(
        `DELETE FROM ${this.database}.${name} WHERE ${within(times)}
           AND (SELECT count() FROM ${this.database}.checkpoints WHERE seq >= {to:UInt64}) = 0 AND ${this.guard ?? '1'}`,
        parametersOf(fromSeq, toSeq, times),
      );
    }
  }

  async insert(batch: Pick<TableBatch, 'table' | 'columns' | 'body'>, token: string | null): Promise<void> {
    const { table, columns, body } = batch;
    const guard = this.guard === null ? undefined : await this.guardOf(table, columns, this.guard);
    await this.store.insert(`${this.database}.${table}`, columns, body, token, guard);
  }

  /**
   * From now on rows come in and go only while the engine knows no newer checkpoint than this one. Where other processes may write
   * the same tables, one that slept is refused by the engine itself.
   */
  guardBy({ generation, epoch, seq, step }: CheckpointPlace): void {
    if (this.store.kind === 'chdb') return;
    this.guard =
      `(SELECT count() FROM ${this.database}.checkpoints ` +
      `WHERE (generation, epoch, seq, step) > (${[generation, epoch, seq, step].map(whole).join(', ')})) = 0`;
  }

  /** A condition that fails the statement where this process may not write any more. */
  get mayWrite(): string {
    return this.guard === null ? '1' : requireGuard(this.guard);
  }

  private async guardOf(table: string, columns: readonly string[], holds: string): Promise<InsertGuard> {
    let types = this.types.get(table);
    if (types === undefined) {
      const rows = await this.store.query<{ name: string; type: string }>(
        'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}',
        { database: this.database, table },
      );
      types = new Map(rows.map(({ name, type }) => [name, type]));
      this.types.set(table, types);
    }
    const of = (column: string): string => {
      const type = types.get(column);
      if (type === undefined) throw new StoreError('store_failed', `${this.database}.${table} has no column ${column}`);
      return type;
    };
    return { holds, types: columns.map(of) };
  }

  async drop(): Promise<void> {
    await this.store.command(`DROP DATABASE IF EXISTS ${this.database} SYNC`);
  }

  private async count(table: string, fromSeq: number, toSeq: number, times?: TimesOfGroups): Promise<number> {
    const rows = await this.store.query<{ rows: string }>(
      `SELECT count() AS rows FROM ${this.database}.${table} WHERE ${within(times)}`,
      parametersOf(fromSeq, toSeq, times),
      { maxSeconds: 300 },
    );
    return Number(rows[0]!.rows);
  }
}

/** Generations of a chain that have a database, in ascending order. */
export async function marketGenerations(store: AnalyticsStore, chain: string): Promise<number[]> {
  const prefix = marketDatabase(chain, 0).slice(0, -1);
  const rows = await store.query<{ name: string }>(
    'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String})',
    { prefix },
  );
  const numbers = rows.map(({ name }) => name.slice(prefix.length)).filter((rest) => /^\d+$/.test(rest));
  return numbers.map(Number).sort((a, b) => a - b);
}

export function marketDatabase(chain: string, generation: number): string {
  if (!/^[a-z][a-z0-9]*$/.test(chain) || !Number.isSafeInteger(generation) || generation < 0) {
    throw new StoreError('store_failed', `no database name for chain ${chain}, generation ${generation}`);
  }
  return `md_${chain}_g${generation}`;
}
