import type { Hex } from '#libs/core/ids.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';

const MOST_RECORDS = 20_000;

export type RecordsById = ReadonlyMap<Hex, TokenRecord>;

/**
 * Metadata of the tokens that rows are made with, so that a block costs no query. Invariant: a record that is held is the
 * one that a view of now would read; what a view read before a change is not kept. Keys that need the same record at the
 * same time share one read.
 */
export class TokenRecords {
  private readonly known = new Map<Hex, TokenRecord>();
  private reading = new Map<Hex, Promise<RecordsById>>();

  constructor(private readonly view: () => ChainView) {}

  /** Records by token; at once when all are held. */
  find(ids: ReadonlySet<Hex>): RecordsById | Promise<RecordsById> {
    const found = new Map<Hex, TokenRecord>();
    const missing: Hex[] = [];
    for (const id of ids) {
      const record = this.known.get(id);
      if (record === undefined) missing.push(id);
      else found.set(id, record);
    }
    return missing.length === 0 ? found : this.complete(found, missing);
  }

  append({ group }: TailEntry): void {
    if (group === null) return;
    const { facts } = group;
    // A record of a retracted block may have been in the place of an older one.
    if (facts.kind === 'retract') this.forget();
    else if (facts.tokens.length > 0) {
      this.reading = new Map();
      for (const record of facts.tokens) if (this.known.has(record.token)) this.known.set(record.token, record);
    }
  }

  forget(): void {
    this.known.clear();
    this.reading = new Map();
  }

  private async complete(found: Map<Hex, TokenRecord>, missing: readonly Hex[]): Promise<RecordsById> {
    const alone = missing.filter((id) => !this.reading.has(id));
    const own = alone.length === 0 ? [] : [this.read(alone)];
    const shared = missing.flatMap((id) => this.reading.get(id) ?? []);
    for (const records of await Promise.all([...own, ...shared])) {
      for (const id of missing) {
        const record = records.get(id);
        if (record !== undefined) found.set(id, record);
      }
    }
    return found;
  }

  private read(ids: readonly Hex[]): Promise<RecordsById> {
    const { reading } = this;
    const read = readTokenRecords(this.view(), ids).then(
      (records) => {
        if (reading === this.reading) this.keep(records);
        for (const id of ids) reading.delete(id);
        return records;
      },
      (error: unknown) => {
        for (const id of ids) reading.delete(id);
        throw error;
      },
    );
    for (const id of ids) reading.set(id, read);
    return read;
  }

  private keep(records: RecordsById): void {
    if (this.known.size + records.size > MOST_RECORDS) this.known.clear();
    for (const [id, record] of records) this.known.set(id, record);
  }
}
