import { UndecodableError } from '#libs/core/errors.js';
import type { EventLog, KeyedRecord } from '#libs/pipeline/event-log/log.js';
import type { StatedUsage, UsageTable } from '#libs/pipeline/store/usage/usage-table.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { decodeUsage, usageDayOf } from '#libs/protocol/accounts/usage-record.js';
import { usageTopic } from '#libs/protocol/topics.js';

export interface UsageTableStageDeps {
  log: Pick<EventLog, 'ensureTopics' | 'readKeyed'>;
  table: UsageTable;
  logger: { warn(fields: object, message: string): void };
  /** How often the topic is looked at. */
  pollMs?: number;
}

const RECORDS = 1_000;

/** The newest of each topic key; null: it was taken away. */
type Newest = Map<string, StatedUsage | null>;

/**
 * Copies the topic `usage` into its table. The version of a statement is its place in the topic, so that any number of
 * processes may do this at once. Each start compares the two: what the topic has newer is inserted, and what it has not,
 * or what the table has from another log, is deleted.
 */
export class UsageTableStage implements SupervisedStage {
  readonly name = 'usage.table';
  private unreadable = 0;

  constructor(private readonly deps: UsageTableStageDeps) {}

  async run(signal: AbortSignal): Promise<void> {
    const { log, table, pollMs = 1_000 } = this.deps;
    await log.ensureTopics([usageTopic]);
    await table.ensure();
    // The table before the topic: it has nothing then that the topic will not show.
    const inTable = await table.versions();
    let next = 0n;
    const read = async (newest: Newest): Promise<boolean> => {
      const records = await log.readKeyed(usageTopic, 0, next, RECORDS);
      for (const record of records) this.note(record, newest);
      if (records.length > 0) next = records[records.length - 1]!.offset + 1n;
      return records.length === RECORDS;
    };
    const all: Newest = new Map();
    while (!signal.aborted && (await read(all)));
    if (signal.aborted) return;
    await this.compare(all, inTable);
    while (!signal.aborted) {
      const newest: Newest = new Map();
      const more = await read(newest);
      await this.take(newest);
      if (!more) await pause(pollMs, signal);
    }
  }

  private async compare(all: Newest, inTable: ReadonlyMap<string, number>): Promise<void> {
    const foreign = [...inTable].filter(([key, version]) => (all.get(key)?.version ?? -1) < version);
    await this.deps.table.remove(foreign.map(([key]) => key));
    const missing = [...all.values()].flatMap((stated) => stated ?? []);
    const keys = [...all].flatMap(([key, stated]) => (stated === null ? [] : [key]));
    await this.insert(missing.filter(({ version }, at) => inTable.get(keys[at]!) !== version));
  }

  private async take(newest: Newest): Promise<void> {
    const gone = [...newest].flatMap(([key, stated]) => (stated === null ? [key] : []));
    await this.deps.table.remove(gone);
    await this.insert([...newest.values()].flatMap((stated) => stated ?? []));
  }

  private async insert(stated: readonly StatedUsage[]): Promise<void> {
    for (let from = 0; from < stated.length; from += RECORDS) {
      await this.deps.table.insert(stated.slice(from, from + RECORDS));
    }
  }

  /** A record of a newer program is left: its own ingest brings it. */
  private note({ key, value, offset }: KeyedRecord, newest: Newest): void {
    if (usageDayOf(key) === null) return;
    if (value === null) {
      newest.set(key, null);
      return;
    }
    try {
      const record = decodeUsage(value);
      if (record.kind === 'day') newest.set(key, { record, version: Number(offset) + 1 });
    } catch (error) {
      if (!(error instanceof UndecodableError)) throw error;
      if (this.unreadable++ > 0) return;
      this.deps.logger.warn({ reason: error.message }, 'a record of usage cannot be read; its table is without it');
    }
  }
}
