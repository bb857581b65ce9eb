import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { ChainTables, RowBatch, RowCollector, SinkTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import type { FactsGroup, TradeFact, TransferFact } from '#libs/protocol/facts.js';

/** One row as the schedule checks see it: where it is and what it says, as text. */
export interface MemoryRow {
  seq: number;
  block: number;
  time: number;
  text: string;
  trade: TradeFact | null;
}

interface MemoryBatch extends RowBatch {
  readonly items: MemoryRow[];
}

/** A sealed candle: trades and volume of one token and minute, as text; null is a tombstone. */
interface Seal {
  key: string;
  bucket: number;
  sealSeq: number;
  text: string | null;
}

export interface StoreProtections {
  /** Tokens kept per table; the oldest is forgotten beyond (rule 14: only own inserts age them). */
  tokenWindow: number;
  /** Recovery counts the rows of the intent's range first (rule 14). */
  countFirst: boolean;
  /** The newest checkpoint row as a whole wins; off: the maximum of each column (rule 16). */
  wholeRow: boolean;
  /** Versions above the checkpoint's sealSeq do not count (rule 17). */
  sealSeq: boolean;
  /** Rows of retracted blocks stay until the checkpoint says that older views are refused (rule 19). */
  purgeLate: boolean;
  /** A seal writes tombstones for buckets that are empty now (rule 18). */
  tombstones: boolean;
}

export const allProtections: StoreProtections = {
  tokenWindow: 4,
  countFirst: true,
  wholeRow: true,
  sealSeq: true,
  purgeLate: true,
  tombstones: true,
};

const MINUTE = 60_000;

/**
 * The durable half of a store in memory, with the engine's habits that matter: an insert with a known token does
 * nothing, tokens age out, inserts may be applied although the inserter died.
 */
export class MemoryTables implements SinkTables<MemoryBatch> {
  private readonly rows = new Map<string, MemoryRow[]>();
  private readonly tokens = new Map<string, string[]>();
  private readonly checkpoints: Checkpoint[] = [];
  readonly seals: Seal[] = [];
  private created = false;
  /** The last batch since the newest start. */
  private inserted: MemoryBatch | null = null;

  constructor(
    readonly name: string,
    private readonly protections: StoreProtections,
  ) {}

  /** Seq of the newest checkpoint row. */
  get lastSeq(): number | null {
    return this.checkpoints.length === 0 ? null : Math.max(...this.checkpoints.map(({ seq }) => seq));
  }

  /** The checkpoint in force. */
  get newest(): Checkpoint | null {
    return this.checkpoints.reduce<Checkpoint | null>(
      (a, b) => (a === null || b.seq > a.seq || (b.seq === a.seq && b.step > a.step) ? b : a),
      null,
    );
  }

  async exists(): Promise<boolean> {
    return this.created;
  }

  async ensure(): Promise<void> {
    this.created = true;
    this.inserted = null;
  }

  async drop(): Promise<void> {
    this.created = false;
    this.rows.clear();
    this.tokens.clear();
    this.checkpoints.length = 0;
    this.seals.length = 0;
  }

  /** Rows of a table, retracted ones included. */
  rowsIn(table: string): number {
    return this.table(table).length;
  }

  collect(): RowCollector<MemoryBatch> {
    const groups: FactsGroup[] = [];
    return {
      add: (encoded) => {
        const group = decodeFactsGroup(encoded);
        groups.push(group);
        return group;
      },
      batches: () => this.encode(groups),
    };
  }

  encode(groups: FactsGroup[]): MemoryBatch[] {
    const trades: MemoryRow[] = [];
    const transfers: MemoryRow[] = [];
    const blocks: MemoryRow[] = [];
    for (const group of groups) {
      if (group.kind !== 'block') continue;
      const place = { seq: group.seq, block: group.height, time: group.time };
      blocks.push({ ...place, text: `${group.height} ${group.hash}`, trade: null });
      for (const trade of group.trades) trades.push({ ...place, text: tradeText(group.hash, trade), trade });
      for (const transfer of group.transfers) {
        transfers.push({ ...place, text: transferText(group.hash, transfer), trade: null });
      }
    }
    const batches = [batch('blocks', blocks), batch('trades', trades), batch('transfers', transfers)];
    return batches.filter(({ rows }) => rows > 0);
  }

  async countRows(table: string, fromSeq: number, toSeq: number): Promise<number> {
    // Off: a sink that has just started takes nothing for granted, and what it inserts for whole.
    const last = this.inserted?.table === table ? this.inserted.items : [];
    const rows = this.protections.countFirst ? this.table(table) : last;
    return rows.filter(({ seq }) => seq >= fromSeq && seq <= toSeq).length;
  }

  async removeRows(table: string, fromSeq: number, toSeq: number): Promise<void> {
    const kept = this.table(table).filter(({ seq }) => seq < fromSeq || seq > toSeq);
    this.rows.set(table, kept);
  }

  async insert(inserted: MemoryBatch, token: string): Promise<void> {
    this.inserted = inserted;
    const tokens = this.tokens.get(inserted.table) ?? [];
    if (tokens.includes(token)) return;
    tokens.push(token);
    while (tokens.length > this.protections.tokenWindow) tokens.shift();
    this.tokens.set(inserted.table, tokens);
    this.table(inserted.table).push(...inserted.items);
  }

  /** Another user of the same deduplication window: what a database shared by chains would do to our tokens. */
  ageTokens(): void {
    for (const [table, tokens] of this.tokens) this.tokens.set(table, tokens.slice(tokens.length));
  }

  async readCheckpoint(): Promise<Checkpoint | null> {
    if (this.checkpoints.length === 0) return null;
    const newest = this.checkpoints.reduce((a, b) => (b.seq > a.seq || (b.seq === a.seq && b.step > a.step) ? b : a));
    if (this.protections.wholeRow) return newest;
    const max = (field: 'sealSeq' | 'sealedTime' | 'sealedHeight' | 'purgedSeq') =>
      Math.max(...this.checkpoints.map((row) => row[field]));
    return {
      ...newest,
      sealSeq: max('sealSeq'),
      sealedTime: max('sealedTime'),
      sealedHeight: max('sealedHeight'),
      purgedSeq: max('purgedSeq'),
    };
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.checkpoints.push(structuredClone(checkpoint));
    if (!this.protections.purgeLate) await this.purge(checkpoint.retracted);
  }

  async forgetCheckpoints(seq: number): Promise<void> {
    const kept = this.checkpoints.filter((row) => row.seq >= seq);
    if (this.protections.wholeRow) this.checkpoints.splice(0, this.checkpoints.length, ...kept);
  }

  async seal(checkpoint: Checkpoint, toTime: number): Promise<void> {
    const live = new Map<string, { bucket: number; trades: number; volume: bigint }>();
    for (const row of this.visible('trades', checkpoint)) {
      const bucket = Math.floor(row.time / MINUTE) * MINUTE;
      if (row.trade === null || bucket + MINUTE > toTime || bucket + MINUTE <= checkpoint.sealedTime) continue;
      const key = `${row.trade.base} ${bucket}`;
      const candle = live.get(key) ?? { bucket, trades: 0, volume: 0n };
      candle.trades++;
      candle.volume += row.trade.baseAmount;
      live.set(key, candle);
    }
    for (const [key, { bucket, trades, volume }] of live) {
      this.seals.push({ key, bucket, sealSeq: checkpoint.seq, text: `${trades} ${volume}` });
    }
    if (!this.protections.tombstones) return;
    for (const { key, bucket } of [...this.seals]) {
      const reopened = bucket + MINUTE > checkpoint.sealedTime && bucket + MINUTE <= toTime;
      if (reopened && !live.has(key)) this.seals.push({ key, bucket, sealSeq: checkpoint.seq, text: null });
    }
  }

  async purge(ranges: Checkpoint['retracted']): Promise<void> {
    for (const [table, rows] of this.rows) {
      const kept = rows.filter(({ seq }) => !ranges.some((r) => seq >= r.fromSeq && seq < r.retractSeq));
      this.rows.set(table, kept);
    }
  }

  visible(table: string, checkpoint: Checkpoint): MemoryRow[] {
    return this.table(table).filter(
      ({ seq }) => seq <= checkpoint.seq && !checkpoint.retracted.some((r) => seq >= r.fromSeq && seq < r.retractSeq),
    );
  }

  /** Candles by minute as a reader sees them: sealed versions up to sealedTime, trades after it. */
  candles(checkpoint: Checkpoint): string[] {
    const newest = new Map<string, Seal>();
    for (const seal of this.seals) {
      const ahead = this.protections.sealSeq && seal.sealSeq > checkpoint.sealSeq;
      if (ahead || seal.bucket + MINUTE > checkpoint.sealedTime) continue;
      const known = newest.get(seal.key);
      if (known === undefined || seal.sealSeq >= known.sealSeq) newest.set(seal.key, seal);
    }
    const lines = [...newest.values()].filter(({ text }) => text !== null).map(({ key, text }) => `${key} ${text}`);
    const open = this.visible('trades', checkpoint).filter(
      ({ time }) => Math.floor(time / MINUTE) * MINUTE + MINUTE > checkpoint.sealedTime,
    );
    return [...lines, ...candleLines(open)].sort();
  }

  private table(name: string): MemoryRow[] {
    let rows = this.rows.get(name);
    if (rows === undefined) {
      rows = [];
      this.rows.set(name, rows);
    }
    return rows;
  }
}

export function candleLines(rows: MemoryRow[]): string[] {
  const sums = new Map<string, { trades: number; volume: bigint }>();
  for (const { time, trade } of rows) {
    if (trade === null) continue;
    const key = `${trade.base} ${Math.floor(time / MINUTE) * MINUTE}`;
    const sum = sums.get(key) ?? { trades: 0, volume: 0n };
    sum.trades++;
    sum.volume += trade.baseAmount;
    sums.set(key, sum);
  }
  return [...sums].map(([key, { trades, volume }]) => `${key} ${trades} ${volume}`);
}

export class MemoryChainTables implements ChainTables {
  private readonly generationsByNumber = new Map<number, MemoryTables>();
  private pointer: Pointer | null = null;

  constructor(
    private readonly chain: string,
    private readonly protections: StoreProtections = allProtections,
  ) {}

  get current(): Pointer | null {
    return this.pointer;
  }

  async readPointer(): Promise<Pointer | null> {
    return this.pointer;
  }

  async flipPointer(to: { generation: number; epoch: number; foldVersion: number; seq: number }): Promise<void> {
    this.pointer = { ...to, version: (this.pointer?.version ?? 0) + 1 };
  }

  async generations(): Promise<number[]> {
    const known: number[] = [];
    for (const [number, tables] of this.generationsByNumber) if (await tables.exists()) known.push(number);
    return known.sort((a, b) => a - b);
  }

  generation(generation: number): MemoryTables {
    let tables = this.generationsByNumber.get(generation);
    if (tables === undefined) {
      tables = this.make(generation);
      this.generationsByNumber.set(generation, tables);
    }
    return tables;
  }

  protected make(generation: number): MemoryTables {
    return new MemoryTables(`md_${this.chain}_g${generation}`, this.protections);
  }
}

function batch(table: string, items: MemoryRow[]): MemoryBatch {
  return { table, rows: items.length, items };
}

const json = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}` : v));

export function tradeText(hash: string, trade: TradeFact): string {
  return `${hash} ${json(trade)}`;
}

export function transferText(hash: string, transfer: TransferFact): string {
  return `${hash} ${json(transfer)}`;
}
