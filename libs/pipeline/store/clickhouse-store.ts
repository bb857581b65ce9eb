import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client';
import { isGuardError, requireGuard } from './insert-guard.js';
import { requireParameters, sqlIdentifier, sqlString } from './query-parameters.js';
import type { AnalyticsStore, InsertGuard, QueryOptions, QueryValue } from './store.js';
import { StoreError } from './store-error.js';

export interface ClickHouseStoreOptions {
  /** `http(s)://host:port`; user and password may be part of it. */
  url: string;
  username?: string;
  password?: string;
  /** Sockets kept at most, those of scans not counted, default 10. */
  connections?: number;
  /** How long a command or an insert may take, default 10 minutes. */
  requestTimeoutMs?: number;
}

/** Connections for scans: with as many as for the rest, the lists of some chains would keep every short read waiting. */
const SCANNING_CONNECTIONS = 2;

/** A ClickHouse server over HTTP. Same SQL and same answers as the embedded store. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<AnalyticsStore> {
  const url = new URL(options.url);
  const username = options.username ?? (decodeURIComponent(url.username) || 'default');
  const password = options.password ?? decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  const connect = (connections: number): ClickHouseClient =>
    createClient({
      url,
      username,
      password,
      application: 'tidepool',
      max_open_connections: connections,
      request_timeout: options.requestTimeoutMs ?? 600_000,
      // Lists of ids are longer than a URL may be.
      use_multipart_params_auto: true,
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 1,
        output_format_json_quote_decimals: 1,
        wait_end_of_query: 1,
      },
      log: { level: 127 },
    });
  const [client, scanner] = [connect(options.connections ?? 10), connect(SCANNING_CONNECTIONS)];
  const store = new ClickHouseStore(client, scanner, [password, encodeURIComponent(password)]);
  try {
    await store.ping();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** The rows of the body, where the guard holds; the engine works it out once, before it takes the first row. */
function guardedRows(names: readonly string[], { holds, types }: InsertGuard): string {
  const structure = names.map((name, at) => `${name} ${types[at]}`).join(', ');
  return `SELECT ${names.join(', ')} FROM input(${sqlString(structure)}) WHERE ${requireGuard(holds)}`;
}

class ClickHouseStore implements AnalyticsStore {
  readonly kind = 'clickhouse';
  private closed = false;

  constructor(
    private readonly client: ClickHouseClient,
    private readonly scanner: ClickHouseClient,
    private readonly secrets: string[],
  ) {}

  async query<Row = Record<string, unknown>>(
    sql: string,
    params: Record<string, QueryValue> = {},
    options: QueryOptions = {},
  ): Promise<Row[]> {
    requireParameters(sql, params);
    return this.attempt(async () => {
      const result = await (options.scan ? this.scanner : this.client).query({
        query: sql,
        query_params: params,
        format: 'JSONEachRow',
        abort_signal: options.signal,
        clickhouse_settings: { max_execution_time: options.maxSeconds ?? 10 },
      });
      return result.json<Row>();
    }, options.signal);
  }

  async command(sql: string, params: Record<string, QueryValue> = {}): Promise<void> {
    requireParameters(sql, params);
    await this.attempt(() => this.client.command({ query: sql, query_params: params }));
  }

  async insert(
    table: string,
    columns: readonly string[],
    rowBinary: Buffer,
    token: string | null,
    guard?: InsertGuard,
  ): Promise<void> {
    if (rowBinary.length === 0) return;
    const names = columns.map(sqlIdentifier);
    const rows = guard === undefined ? '' : ` ${guardedRows(names, guard)}`;
    const query = `INSERT INTO ${sqlIdentifier(table)} (${names.join(', ')})${rows} FORMAT RowBinary`;
    await this.attempt(async () => {
      const { stream } = await this.client.exec({
        query,
        values: Readable.from([rowBinary], { objectMode: false }),
        clickhouse_settings: {
          insert_deduplicate: 1,
          insert_deduplication_token: token ?? randomUUID(),
          deduplicate_blocks_in_dependent_materialized_views: 1,
          async_insert: 0,
        },
      });
      stream.resume();
      await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
    });
  }

  async ping(): Promise<void> {
    await this.attempt(async () => {
      const answer = await this.client.ping({ select: true });
      if (!answer.success) throw answer.error;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.client.close(), this.scanner.close()]);
  }

  private async attempt<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.closed) throw new StoreError('store_closed', 'the store is closed');
    if (signal?.aborted) throw new StoreError('store_aborted', 'the query was aborted');
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw new StoreError('store_aborted', 'the query was aborted');
      throw this.describe(error);
    }
  }

  /** A new error without `cause`: the client's own may carry the request and its headers. */
  private describe(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    let message = error instanceof Error ? error.message || error.name : String(error);
    for (const secret of this.secrets) if (secret !== '') message = message.replaceAll(secret, '***');
    message = message.replace(/\/\/[^/@\s]+@/g, '//***@');
    const code = error instanceof ClickHouseError ? Number(error.code) : null;
    if (isGuardError(code, message)) return new StoreError('store_guard', message, code);
    return new StoreError('store_failed', `ClickHouse: ${message}`, code);
  }
}
