import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import type { Session } from 'chdb';
import { parseRows } from './parse-rows.js';
import { parameterText, requireParameters, sqlIdentifier, sqlString } from './query-parameters.js';
import { SessionPool } from './session-pool.js';
import { type AnalyticsStore, type QueryOptions, type QueryValue, SHORT_READS_AT_ONCE } from './store.js';
import { StoreError } from './store-error.js';

export interface ChdbStoreOptions {
  /** Data directory. One process has it open at a time, and a process has one data directory open at a time. */
  dir: string;
  /** Sessions that read, scans not counted, default 4. Start the process with UV_THREADPOOL_SIZE of at least twice that. */
  sessions?: number;
  /** What the engine's caches hold together, default 256 MB; its own bounds are shares of the machine's memory. */
  cacheBytes?: number;
}

/**
 * Inserts and commands run one at a time. Of two at once an insert was seen that read standard input instead of its file, and waited
 * there for ever.
 */
const WRITING_SESSIONS = 1;

/** Scans that run at the same time: each takes one core for as long as it lasts. */
const SCANNING_SESSIONS = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 4)));

/** 64-bit integers and decimals as strings: as JSON numbers they lose digits. */
const SESSION_ARGUMENTS = ['--output_format_json_quote_64bit_integers=1', '--output_format_json_quote_decimals=1'];

/** Answers are short: to write them in several threads, and to pass on the engine's log, takes a fifth of a point read. */
const ANSWER_ARGUMENTS = ['--output_format_parallel_formatting=0', '--send_logs_level=none'];

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;
/** Shares of the caches that grow with the tables. Uncompressed data is not cached: the system's page cache has the files. */
const CACHES = { mark: 0.4, primary_index: 0.3, index_mark: 0.2, query_condition: 0.1 };

/**
 * Each table asks whether it has parts to merge or to remove: with each insert, and a while after it found nothing. By default that is
 * a tenth of a second, which grows slowly: with 84 tables a fifth of what the program takes at rest.
 */
const REST_ARGUMENTS = [
  '--background_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do=60',
  '--memory_worker_period_ms=1000',
];

/**
 * A deletion that has to wait for a merge of the same table is only looked at again after that rest: six seconds for each table
 * of a purge. Asked to start merges, the table looks at once.
 */
const WAKE_EVERY_MS = 50;
const DELETION = /^\s*DELETE\s+FROM\s+([\w.`]+)/;

const cacheArguments = (bytes: number): string[] =>
  Object.entries(CACHES).map(([name, share]) => `--${name}_cache_size=${Math.floor(bytes * share)}`);

/**
 * ClickHouse in this process, through chDB. The package is loaded here and not with this file: a worker thread that merely
 * has it loaded tears the main thread's connections down when it ends, and its next query crashes the engine.
 */
export async function openChdbStore(options: ChdbStoreOptions): Promise<AnalyticsStore> {
  const { dir, sessions = SHORT_READS_AT_ONCE, cacheBytes = DEFAULT_CACHE_BYTES } = options;
  if (!isMainThread) throw new StoreError('store_failed', 'chDB does not run in a worker thread');
  const path = resolve(dir);
  const insertFolder = join(path, 'tidepool-inserts');
  await mkdir(path, { recursive: true });
  const { Session, drainPending } = await import('chdb');
  await drainPending();
  const connectionArgs = [...SESSION_ARGUMENTS, ...ANSWER_ARGUMENTS, ...REST_ARGUMENTS, ...cacheArguments(cacheBytes)];
  const session = () => new Session(path, { connectionArgs });
  const pools: SessionPool[] = [];
  try {
    for (const size of [WRITING_SESSIONS, sessions, SCANNING_SESSIONS]) pools.push(new SessionPool(session, size));
    const [writer, readers, scanners] = pools as [SessionPool, SessionPool, SessionPool];
    await rm(insertFolder, { recursive: true, force: true });
    await mkdir(insertFolder);
    const store = new ChdbStore({ writer, readers, scanners }, insertFolder, drainPending);
    await store.ping();
    return store;
  } catch (error) {
    for (const pool of pools) await pool.close();
    throw await openError(error, path);
  }
}

class ChdbStore implements AnalyticsStore {
  readonly kind = 'chdb';
  private inserts = 0;

  constructor(
    private readonly pools: Readonly<Record<'writer' | 'readers' | 'scanners', SessionPool>>,
    private readonly insertFolder: string,
    private readonly drainPending: () => Promise<void>,
  ) {}

  async query<Row = Record<string, unknown>>(
    sql: string,
    params: Record<string, QueryValue> = {},
    options: QueryOptions = {},
  ): Promise<Row[]> {
    const statement = bind(sql, params, { max_execution_time: options.maxSeconds ?? 10 });
    const { readers, scanners } = this.pools;
    const text = await (options.scan ? scanners : readers).run(
      async (session) => (await execute(session, statement, 'JSONEachRow')).text(),
      options.signal,
    );
    return parseRows<Row>(text);
  }

  async command(sql: string, params: Record<string, QueryValue> = {}): Promise<void> {
    const statement = bind(sql, params, {});
    const table = DELETION.exec(sql)?.[1];
    await this.pools.writer.run((session) => {
      const work = execute(session, statement, 'Null');
      return table === undefined ? work : this.waking(table, work);
    });
  }

  /** Wakes the table's background work again and again until `work` is done, which may wait for it. */
  private async waking<T>(table: string, work: Promise<T>): Promise<T> {
    const done = work.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([done, delay(WAKE_EVERY_MS, false)]))) {
      const wake = (session: Session) => execute(session, `SYSTEM START MERGES ${table}`, 'Null');
      // What keeps a table from being asked fails the work too.
      await this.pools.readers.run(wake).catch(() => undefined);
    }
    return work;
  }

  /** The body goes through a file: chDB's in-memory insert ends a binary body at the first empty line. */
  async insert(table: string, columns: readonly string[], rowBinary: Buffer, token: string | null): Promise<void> {
    if (rowBinary.length === 0) return;
    const file = join(this.insertFolder, `${process.pid}-${++this.inserts}.rows`);
    const statement =
      `INSERT INTO ${sqlIdentifier(table)} (${columns.map(sqlIdentifier).join(', ')}) FROM INFILE ${sqlString(file)} ` +
      `SETTINGS insert_deduplicate = 1, insert_deduplication_token = ${sqlString(token ?? randomUUID())}, ` +
      'deduplicate_blocks_in_dependent_materialized_views = 1 FORMAT RowBinary';
    try {
      await writeWhole(file, rowBinary);
      const { rowsRead } = await this.pools.writer.run((session) => execute(session, statement, 'Null'));
      // Also of rows that are known by their token it reads all.
      if (rowsRead === 0) throw new StoreError('store_failed', `nothing of an insert into ${table} was read`);
    } finally {
      await rm(file, { force: true });
    }
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1 AS ok');
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((pool) => pool.close()));
    await this.drainPending();
  }
}

/**
 * Parameters travel as session settings before the statement, not through `queryBindAsync`, which lets only one bound
 * query of the whole process run at a time. The engine binds them all the same.
 */
function bind(sql: string, params: Record<string, QueryValue>, settings: Record<string, number>): string {
  requireParameters(sql, params);
  const sets = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  for (const [name, value] of Object.entries(params)) {
    sets.push(`param_${sqlIdentifier(name)} = ${sqlString(parameterText(value))}`);
  }
  return sets.length === 0 ? sql : `SET ${sets.join(', ')}; ${sql}`;
}

/** In as few writes as the system allows; `writeFile` would cut the body into many small ones. */
async function writeWhole(path: string, body: Buffer): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let at = 0; at < body.length; ) at += (await file.write(body, at)).bytesWritten;
  } finally {
    await file.close();
  }
}

async function execute(session: Session, statement: string, format: string) {
  try {
    return await session.queryAsync(statement, { format });
  } catch (error) {
    throw engineError(error);
  }
}

function engineError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { message, clickhouseCode } = error as Error & { clickhouseCode?: number };
  return new StoreError('store_failed', message, clickhouseCode ?? null);
}

/** The engine says only that it could not connect; the directory's status file names the process that holds its lock. */
async function openError(error: unknown, path: string): Promise<StoreError> {
  const status = await readFile(join(path, 'status'), 'utf8').catch(() => '');
  const holder = Number(/^PID: (\d+)$/m.exec(status)?.[1] ?? 0);
  if (holder === 0 || holder === process.pid || !isRunning(holder)) return engineError(error);
  return new StoreError('store_in_use', `${path} is in use by process ${holder}: stop it first`);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
