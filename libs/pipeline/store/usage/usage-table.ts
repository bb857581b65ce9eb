import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type UsageDay, usageDayKey, usageDayOf } from '#libs/protocol/accounts/usage-record.js';
import { migrate } from '../migrate.js';
import { sqlIdentifier } from '../query-parameters.js';
import { RowBuffer } from '../row-buffer.js';
import type { AnalyticsStore } from '../store.js';

/** Database of what accounts did. */
const ACCOUNTS_DATABASE = 'tidepool_accounts';

/** What a process stated of an account and day, and how new that is. */
export interface StatedUsage {
  readonly record: UsageDay;
  readonly version: number;
}

const columns = ['account', 'day', 'key', 'route', 'instance', 'version', 'requests', 'credits', 'refused'];
const KEYS_PER_DELETE = 500;
const DAY_MS = 86_400_000;

/**
 * The table `usage_counts` and the view `usage` over it. Inserting a statement again changes nothing, so an insert with
 * an unknown outcome is simply repeated.
 */
export class UsageTable {
  private readonly table: string;

  constructor(
    private readonly store: AnalyticsStore,
    readonly database: string = ACCOUNTS_DATABASE,
  ) {
    this.table = `${sqlIdentifier(database)}.usage_counts`;
  }

  async ensure(): Promise<void> {
    await migrate(this.store, this.database, { folder });
  }

  /** Highest version of every statement, by its topic key. */
  async versions(): Promise<Map<string, number>> {
    const rows = await this.store.query<{ account: string; instance: string; day: string; version: string }>(
      `SELECT account, instance, toString(day) AS day, max(version) AS version FROM ${this.table} ` +
        'GROUP BY account, instance, day',
    );
    return new Map(rows.map((row) => [usageDayKey(row), Number(row.version)]));
  }

  async insert(stated: readonly StatedUsage[]): Promise<void> {
    if (stated.length === 0) return;
    const rows = new RowBuffer(stated.length * 512);
    for (const { record, version } of stated) {
      const day = Date.parse(record.day) / DAY_MS;
      for (const { key, route, requests, credits, refused } of record.lines) {
        rows.text(record.account);
        rows.int32(day);
        for (const text of [key, route, record.instance]) rows.text(text);
        for (const count of [version, requests, credits, refused]) rows.uint64(count);
      }
    }
    await this.store.insert(this.table, columns, rows.take(), null);
  }

  /** By topic key. */
  async remove(keys: readonly string[]): Promise<void> {
    const places = keys.flatMap((key) => usageDayOf(key) ?? []);
    for (let from = 0; from < places.length; from += KEYS_PER_DELETE) {
      const some = places.slice(from, from + KEYS_PER_DELETE);
      // The day first: it is what the parts are cut by.
      await this.store.command(
        `DELETE FROM ${this.table} WHERE day IN (SELECT toDate32(arrayJoin({days:Array(String)}))) ` +
          "AND concat(account, '/', instance, '/', toString(day)) IN {keys:Array(String)}",
        { days: [...new Set(some.map(({ day }) => day))], keys: some.map(usageDayKey) },
      );
    }
  }
}

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'migrations', 'accounts');
