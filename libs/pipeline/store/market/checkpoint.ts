import type { Hex } from '#libs/core/ids.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import { RowBuffer } from '../row-buffer.js';
import type { AnalyticsStore } from '../store.js';
import { StoreError } from '../store-error.js';
import type { MarketTables } from './market-tables.js';
import { storedProof } from './stored-proof.js';
import type { RetractedRange, View } from './view.js';

const checkpointStates = ['live', 'sealing', 'purging', 'rebuilding'] as const;

type CheckpointState = (typeof checkpointStates)[number];

/**
 * How far the tables of a generation are, as one whole row: the newest by (generation, epoch, seq, step) is in force,
 * never a maximum per column (protocol rule 16). Times are Unix ms; −1 means "nothing yet".
 */
export interface Checkpoint {
  generation: number;
  epoch: number;
  foldVersion: number;
  /** Last group whose rows are all in the tables. */
  seq: number;
  /** Counts the rows written at the same seq. */
  step: number;
  height: number;
  hash: Hex;
  parentHash?: Hex;
  time: number;
  /** Of the block with that hash; absent where its source did not say. */
  proof?: BlockProof;
  sealedHeight: number;
  finalizedHeight: number;
  /** Time of the sealed block: how far candles may be sealed. */
  sealedBlockTime: number;
  /** Candle versions up to this stamp count. */
  sealSeq: number;
  /** Candles of all buckets that end at or before it are sealed. */
  sealedTime: number;
  state: CheckpointState;
  /** Retracted ranges whose rows are still in the tables. */
  retracted: RetractedRange[];
  /** Rows retracted at or below it are gone: a view of an older seq cannot be served. */
  purgedSeq: number;
}

export function emptyCheckpoint(of: { generation: number; epoch: number; foldVersion: number }): Checkpoint {
  return {
    ...of,
    ...{ seq: -1, step: 0, height: -1, hash: '', parentHash: '', time: 0 },
    ...{ sealedHeight: -1, finalizedHeight: -1, sealedBlockTime: 0, sealSeq: -1, sealedTime: 0 },
    ...{ state: 'live' as const, retracted: [], purgedSeq: -1 },
  };
}

export function checkpointView({ seq, retracted, sealSeq, sealedTime }: Checkpoint): View {
  return { seq, retracted, sealSeq, sealedTime };
}

const columns = [
  ...['generation', 'epoch', 'seq', 'step', 'fold_version', 'block', 'hash', 'parent', 'time', 'proof'],
  ...[
    'sealed_height',
    'finalized_height',
    'sealed_block_time',
    'seal_seq',
    'sealed_time',
    'state',
    'retracted',
    'purged_seq',
  ],
];

/** Without a token: the same row twice is the same checkpoint, one that a token kept out would be missing. */
export async function writeCheckpoint(tables: MarketTables, checkpoint: Checkpoint): Promise<void> {
  const row = new RowBuffer(512);
  row.uint64(checkpoint.generation);
  row.uint64(checkpoint.epoch);
  row.int64(checkpoint.seq);
  row.uint64(checkpoint.step);
  row.uint64(checkpoint.foldVersion);
  row.int64(checkpoint.height);
  row.hex(checkpoint.hash);
  row.hex(checkpoint.parentHash ?? '');
  row.int64(checkpoint.time);
  row.text(checkpoint.proof ?? '');
  row.int64(checkpoint.sealedHeight);
  row.int64(checkpoint.finalizedHeight);
  row.int64(checkpoint.sealedBlockTime);
  row.int64(checkpoint.sealSeq);
  row.int64(checkpoint.sealedTime);
  row.text(checkpoint.state);
  row.length(checkpoint.retracted.length);
  for (const { fromSeq, retractSeq } of checkpoint.retracted) {
    row.uint64(fromSeq);
    row.uint64(retractSeq);
  }
  row.int64(checkpoint.purgedSeq);
  await tables.insert({ table: 'checkpoints', columns, body: row.take() }, null);
}

interface CheckpointRow extends Record<string, unknown> {
  hash: string;
  parent: string;
  state: string;
  retracted: [string, string][];
}

/** The checkpoint in force, or null when the tables hold none. */
export async function readCheckpoint(store: AnalyticsStore, tables: MarketTables): Promise<Checkpoint | null> {
  const rows = await store.query<CheckpointRow>(
    `SELECT * REPLACE (lower(hex(hash)) AS hash, lower(hex(parent)) AS parent) FROM ${tables.database}.checkpoints
     ORDER BY generation DESC, epoch DESC, seq DESC, step DESC LIMIT 1 SETTINGS max_threads = 1`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  const state = checkpointStates.find((name) => name === row.state);
  if (state === undefined) throw new StoreError('schema_too_new', `${tables.database}: unknown state ${row.state}`);
  return {
    generation: Number(row.generation),
    epoch: Number(row.epoch),
    foldVersion: Number(row.fold_version),
    seq: Number(row.seq),
    step: Number(row.step),
    height: Number(row.block),
    hash: row.hash,
    parentHash: row.parent,
    time: Number(row.time),
    ...storedProof(row.proof),
    sealedHeight: Number(row.sealed_height),
    finalizedHeight: Number(row.finalized_height),
    sealedBlockTime: Number(row.sealed_block_time),
    sealSeq: Number(row.seal_seq),
    sealedTime: Number(row.sealed_time),
    state,
    retracted: row.retracted.map(([fromSeq, retractSeq]) => ({
      fromSeq: Number(fromSeq),
      retractSeq: Number(retractSeq),
    })),
    purgedSeq: Number(row.purged_seq),
  };
}

/** Deletes checkpoint rows that newer ones have replaced, and seals but the one that reaches farthest. */
export async function purgeCheckpoints(tables: MarketTables, seq: number): Promise<void> {
  const [farthest] = await tables.store.query<{ newest: string }>(
    `SELECT max(to_time) AS newest FROM ${tables.database}.seals SETTINGS max_threads = 1`,
  );
  await tables.store.command(`DELETE FROM ${tables.database}.seals WHERE to_time < {newest:UInt64}`, {
    newest: Number(farthest?.newest ?? 0),
  });
  await tables.store.command(`DELETE FROM ${tables.database}.checkpoints WHERE seq < {seq:Int64}`, { seq });
}
