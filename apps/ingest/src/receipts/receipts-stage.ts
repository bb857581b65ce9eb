import type { EventLog, KeyedRecord } from '#libs/pipeline/event-log/log.js';
import { type ReceiptTable, receiptVersion } from '#libs/pipeline/store/receipts/receipt-table.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { decodeReceipt } from '#libs/protocol/receipt-codec.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import { quoteReceiptsTopic } from '#libs/protocol/topics.js';

export interface ReceiptsStageDeps {
  log: EventLog;
  table: ReceiptTable;
  /** How often the topic is looked at. */
  pollMs?: number;
}

const RECORDS = 1_000;

/**
 * Copies the topic `quote-receipts` into its table. Each start compares the two, so that no place has to be remembered
 * and a table that was lost or belongs to another log comes right: what the topic has newer is inserted, what it does not
 * have is deleted. Any number of processes may do this at once.
 */
export class ReceiptsStage implements SupervisedStage {
  readonly name = 'receipts.table';

  constructor(private readonly deps: ReceiptsStageDeps) {}

  async run(signal: AbortSignal): Promise<void> {
    const { log, table, pollMs = 1_000 } = this.deps;
    await log.ensureTopics([quoteReceiptsTopic]);
    await table.ensure();
    const inTable = await table.versions();
    const notSeen = new Set(inTable.keys());
    let next = 0n;
    let caughtUp = false;
    while (!signal.aborted) {
      const records = await log.readKeyed(quoteReceiptsTopic, 0, next, RECORDS);
      for (const { key } of records) notSeen.delete(key);
      await this.take(records, inTable);
      if (records.length > 0) next = records[records.length - 1]!.offset + 1n;
      if (records.length === RECORDS) continue;
      if (!caughtUp) await table.remove([...notSeen]);
      caughtUp = true;
      await pause(pollMs, signal);
    }
  }

  /** The newest value of each key is what counts, whatever was inserted of it before. */
  private async take(records: readonly KeyedRecord[], inTable: Map<string, number>): Promise<void> {
    const newest = new Map<string, QuoteReceipt>();
    const dropped = new Set<string>();
    for (const { key, value } of records) {
      if (value === null) {
        newest.delete(key);
        dropped.add(key);
        inTable.delete(key);
        continue;
      }
      const receipt = decodeReceipt(value);
      const version = receiptVersion(receipt.asOf);
      const known = newest.get(key);
      const before = known === undefined ? inTable.get(key) : receiptVersion(known.asOf);
      if (before === undefined || version > before) newest.set(key, receipt);
    }
    await this.deps.table.remove([...dropped]);
    await this.deps.table.insert([...newest.values()]);
    for (const [key, receipt] of newest) inTable.set(key, receiptVersion(receipt.asOf));
  }
}
