import { FencedError } from '#libs/core/errors.js';
import {
  type Checkpoint,
  checkpointView,
  purgeCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from '#libs/pipeline/store/market/checkpoint.js';
import { FactsRows } from '#libs/pipeline/store/market/facts-rows.js';
import { MarketTables, marketGenerations, type TimesOfGroups } from '#libs/pipeline/store/market/market-tables.js';
import { flipPointer, type Pointer, readPointer } from '#libs/pipeline/store/market/pointer.js';
import { purgeRetracted } from '#libs/pipeline/store/market/purge.js';
import { sealCandles } from '#libs/pipeline/store/market/seal.js';
import type { TableBatch } from '#libs/pipeline/store/market/table-batch.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import type { FactsHead } from '#libs/protocol/facts.js';

/** Rows of one table that belong to one intent. */
export interface RowBatch {
  readonly table: string;
  readonly rows: number;
}

/** Gathers the rows of a batch from encoded groups, in the order of the log. */
export interface RowCollector<Batch extends RowBatch = RowBatch> {
  /** Throws UndecodableError; then the collector is of no use any more. */
  add(encoded: Uint8Array): FactsHead;
  batches(): Batch[];
}

/** What a sink needs of one generation's tables. The store is one implementation; the schedule tests bring another. */
export interface SinkTables<Batch extends RowBatch = RowBatch> {
  readonly name: string;
  exists(): Promise<boolean>;
  ensure(): Promise<void>;
  /** Removes the generation with all that it holds; `ensure` makes it again, empty. */
  drop(): Promise<void>;
  collect(): RowCollector<Batch>;
  /** Rows of these groups; their times say where to look. */
  countRows(table: string, fromSeq: number, toSeq: number, times: TimesOfGroups): Promise<number>;
  removeRows(table: string, fromSeq: number, toSeq: number, times: TimesOfGroups): Promise<void>;
  insert(batch: Batch, token: string): Promise<void>;
  readCheckpoint(): Promise<Checkpoint | null>;
  writeCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /**
   * Takes over the tables from the checkpoint that was read: a process that wrote them before, and has slept since its last look at
   * its lease, is refused by the engine from then on. Answers the checkpoint in force. Absent where no other process can write.
   */
  takeOver?(checkpoint: Checkpoint): Promise<Checkpoint>;
  /** Checkpoint rows below the seq are of no use any more. */
  forgetCheckpoints(seq: number): Promise<void>;
  /** Candle versions stamped with the checkpoint's seq for the buckets that closed in (sealedTime, toTime]. */
  seal(checkpoint: Checkpoint, toTime: number): Promise<void>;
  purge(ranges: Checkpoint['retracted']): Promise<void>;
}

/** The generations of one chain's tables and the pointer row that says which one is served. */
export interface ChainTables {
  readPointer(): Promise<Pointer | null>;
  flipPointer(to: { generation: number; epoch: number; foldVersion: number; seq: number }): Promise<void>;
  /** Numbers of the generations that there are, served or not. */
  generations(): Promise<number[]>;
  generation(generation: number): SinkTables;
}

export function storeTables(store: AnalyticsStore, chain: string): ChainTables {
  return {
    readPointer: () => readPointer(store, chain),
    flipPointer: (to) => guarded(`${chain}.pointer`, () => flipPointer(store, chain, to)),
    generations: () => marketGenerations(store, chain),
    generation: (generation) => storeSinkTables(store, chain, generation),
  };
}

function storeSinkTables(store: AnalyticsStore, chain: string, generation: number): SinkTables {
  const tables = new MarketTables(store, chain, generation);
  const name = tables.database;
  const isShared = store.kind === 'clickhouse';
  return {
    name,
    exists: () => tables.exists(),
    ensure: () => tables.ensure(),
    drop: () => tables.drop(),
    collect: () => new FactsRows(),
    removeRows: (table, fromSeq, toSeq, times) => tables.removeRows(table, fromSeq, toSeq, times),
    countRows: (table, fromSeq, toSeq, times) => tables.countRows(table, fromSeq, toSeq, times),
    insert: (batch, token) => guarded(name, () => tables.insert(batch as TableBatch, token)),
    readCheckpoint: () => readCheckpoint(store, tables),
    writeCheckpoint: (checkpoint) =>
      guarded(name, async () => {
        await writeCheckpoint(tables, checkpoint);
        if (isShared) tables.guardBy(checkpoint);
      }),
    ...(isShared ? { takeOver: (checkpoint: Checkpoint) => takeOver(tables, checkpoint) } : {}),
    forgetCheckpoints: (seq) => purgeCheckpoints(tables, seq),
    seal: (checkpoint, toTime) => {
      const { seq, sealedTime } = checkpoint;
      const range = { fromTime: sealedTime, toTime, sealSeq: seq, view: checkpointView(checkpoint) };
      return guarded(name, () => sealCandles(tables, range));
    },
    purge: (ranges) => purgeRetracted(tables, ranges),
  };
}

/** The same checkpoint again as a newer row: whatever was prepared on the older one does not hold any more. */
async function takeOver(tables: MarketTables, checkpoint: Checkpoint): Promise<Checkpoint> {
  const isFirst = (await readCheckpoint(tables.store, tables)) === null;
  const taken = isFirst ? checkpoint : { ...checkpoint, step: checkpoint.step + 1 };
  if (!isFirst) await writeCheckpoint(tables, taken);
  tables.guardBy(taken);
  return taken;
}

async function guarded<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store_guard') throw new FencedError(name);
    throw error;
  }
}
