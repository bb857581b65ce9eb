// Room: the analytics store: its port, the adapters for chDB and ClickHouse, migrations, tables and their reads. May
// import core, protocol, pipeline/projections, pipeline/fold.

/**
 * The analytics store port. Two adapters: chDB in process, ClickHouse over HTTP. Same SQL, same migrations.
 * 64-bit and decimal values come back as strings, so that no digit is lost.
 */
export interface AnalyticsStore {
  readonly kind: 'chdb' | 'clickhouse';
  /** Rows of a SELECT. `{name:Type}` placeholders are bound from params on the engine's side. */
  query<Row = Record<string, unknown>>(
    sql: string,
    params?: Record<string, QueryValue>,
    options?: QueryOptions,
  ): Promise<Row[]>;
  /** DDL, ALTER, INSERT … SELECT, DELETE. */
  command(sql: string, params?: Record<string, QueryValue>): Promise<void>;
  /**
   * Inserts a RowBinary body and resolves when the rows are durable. `token` is the deduplication token: the same token
   * inserts at most once. At most, since the engine notes a token before it has the rows: a crash in between leaves a token
   * without rows, and only a count finds out. Where a repeat does no harm the token is null, and every insert inserts:
   * under a token of its own, since the engine compares the rows themselves where it is given none.
   */
  insert(
    table: string,
    columns: readonly string[],
    rowBinary: Buffer,
    token: string | null,
    guard?: InsertGuard,
  ): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What must be true in the engine when it begins an insert; else nothing is inserted and it fails with `store_guard`. For a store
 * that several processes write: a process may have slept between its own look and the insert. One that is in this process is
 * written by no other process, and asks nothing.
 */
export interface InsertGuard {
  /** An expression of the engine. */
  readonly holds: string;
  /** The engine's types of the columns, in their order. */
  readonly types: readonly string[];
}

/**
 * How often a store is looked at for what others wrote. Only this process writes into an embedded one, and it says so:
 * there a look guards against nothing but an omission.
 */
export const pollMsOf = ({ kind }: AnalyticsStore): number => (kind === 'chdb' ? 15_000 : 500);

export type QueryValue = string | number | bigint | boolean | null | readonly (string | number | bigint)[];

export interface QueryOptions {
  /** Engine-side limit in seconds (max_execution_time). Default 10. */
  maxSeconds?: number;
  signal?: AbortSignal;
  /** Looks at all or most of a table: such reads wait for each other, and no short read waits for them. */
  scan?: boolean;
}

/** Short reads that an embedded store runs at the same time; what comes while it does waits. */
export const SHORT_READS_AT_ONCE = 4;

/** A read over all tokens, pools or wallets of a chain. */
export const SCAN = { scan: true, maxSeconds: 120 } as const satisfies QueryOptions;
