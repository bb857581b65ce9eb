import { UndecodableError } from '#libs/core/errors.js';
import type { EventLog, KeyedRecord, LogWriter } from '#libs/pipeline/event-log/log.js';
import { decodeReceipt, encodeReceipt } from '#libs/protocol/receipt-codec.js';
import { type FactsPosition, isLater, type QuoteReceipt } from '#libs/protocol/receipts.js';
import { quoteReceiptsTopic } from '#libs/protocol/topics.js';

/** What a router hears from the topic. */
export interface ReceiptListener {
  /** A value that is not older than those before it. */
  stated(receipt: QuoteReceipt): void;
  dropped(id: string): void;
  unreadableRecord(key: string, reason: string): void;
}

const RECORDS = 500;

/**
 * The topic `quote-receipts` as several routers write it. A router that is behind may append an older value after a
 * newer one; compaction would then keep the older, so a router that sees that appends the newer one again. What an
 * append with an unknown outcome left is found by reading on, and the same value may are there twice.
 */
export class ReceiptLog {
  private writer: LogWriter | null = null;
  private next = 0n;
  /** Newest value of each receipt that is known to be in the topic. */
  private readonly newest = new Map<string, QuoteReceipt>();
  /** The same in the order of the topic, as far as it was read. */
  private readonly read = new Map<string, FactsPosition>();
  private readonly overtaken = new Set<string>();

  constructor(
    private readonly log: EventLog,
    private readonly writerId: string,
  ) {}

  /** Takes over the writer id of this router. */
  async open(): Promise<void> {
    await this.log.ensureTopics([quoteReceiptsTopic]);
    this.writer = await this.log.openWriter(this.writerId);
  }

  async close(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    await writer?.close();
  }

  published(id: string): QuoteReceipt | undefined {
    return this.newest.get(id);
  }

  /** Reads on to the end of the topic. */
  async follow(listener: ReceiptListener): Promise<void> {
    for (let records = RECORDS; records === RECORDS; ) {
      const batch = await this.log.readKeyed(quoteReceiptsTopic, 0, this.next, RECORDS);
      for (const record of batch) {
        this.take(record, listener);
        this.next = record.offset + 1n;
      }
      records = batch.length;
    }
  }

  async append(receipts: readonly QuoteReceipt[]): Promise<void> {
    const again = [...this.overtaken].flatMap((id) => this.newest.get(id) ?? []);
    const values = new Map([...again, ...receipts].map((receipt) => [receipt.id, receipt]));
    if (values.size === 0) return;
    await this.writer!.append(
      [...values].map(([key, receipt]) => ({ topic: quoteReceiptsTopic, key, value: encodeReceipt(receipt) })),
    );
    for (const [id, receipt] of values) this.newest.set(id, receipt);
    for (const { id } of again) this.overtaken.delete(id);
  }

  async drop(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += RECORDS) {
      const some = ids.slice(from, from + RECORDS);
      await this.writer!.append(some.map((key) => ({ topic: quoteReceiptsTopic, key, value: null })));
      for (const id of some) this.forget(id);
    }
  }

  private take({ key, value }: KeyedRecord, listener: ReceiptListener): void {
    if (value === null) {
      this.forget(key);
      listener.dropped(key);
      return;
    }
    let receipt: QuoteReceipt;
    try {
      receipt = decodeReceipt(value);
      if (receipt.id !== key) throw new UndecodableError('quote receipt', 'its id is not its key');
    } catch (error) {
      if (!(error instanceof UndecodableError)) throw error;
      listener.unreadableRecord(key, error.message);
      return;
    }
    const before = this.read.get(key);
    if (before !== undefined && isLater(before, receipt.asOf)) {
      this.overtaken.add(key);
      return;
    }
    this.read.set(key, receipt.asOf);
    const newest = this.newest.get(key);
    if (newest !== undefined && isLater(newest.asOf, receipt.asOf)) return;
    this.newest.set(key, receipt);
    listener.stated(receipt);
  }

  private forget(id: string): void {
    this.newest.delete(id);
    this.read.delete(id);
    this.overtaken.delete(id);
  }
}
