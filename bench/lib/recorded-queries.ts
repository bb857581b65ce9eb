import type { AnalyticsStore, QueryOptions, QueryValue } from '#libs/pipeline/store/store.js';

/** What a store is asked while it is looked at, to ask the same again without the program around it. */
export interface RecordedQuery {
  sql: string;
  params?: Record<string, QueryValue>;
  options?: QueryOptions;
}

export class RecordedQueries {
  private recorded: RecordedQuery[] | null = null;
  private readonly query: AnalyticsStore['query'];

  constructor(store: AnalyticsStore) {
    this.query = store.query.bind(store);
    store.query = <Row>(sql: string, params?: Record<string, QueryValue>, options?: QueryOptions) => {
      this.recorded?.push({ sql, params, options });
      return this.query<Row>(sql, params, options);
    };
  }

  start(): void {
    this.recorded = [];
  }

  take(): readonly RecordedQuery[] {
    const all = this.recorded ?? [];
    this.recorded = null;
    return all;
  }

  /** Milliseconds that they take together, one after the other. */
  async again(queries: readonly RecordedQuery[]): Promise<number> {
    const started = performance.now();
    for (const { sql, params, options } of queries) {
      await this.query(sql, params, { ...options, signal: undefined });
    }
    return performance.now() - started;
  }
}
