import { META_DATABASE, migrate } from '../migrate.js';
import { sqlString } from '../query-parameters.js';
import { RowBuffer } from '../row-buffer.js';
import type { AnalyticsStore } from '../store.js';
import { isMissingTable } from '../store-error.js';

/** Which generation of a chain's tables is served. One appended row flips it; the highest version is in force. */
export interface Pointer {
  version: number;
  generation: number;
  epoch: number;
  foldVersion: number;
  /** Checkpoint of the generation when it was flipped to. */
  seq: number;
}

const columns = ['chain', 'version', 'generation', 'epoch', 'fold_version', 'seq'];
const types = ['String', 'UInt64', 'UInt64', 'UInt64', 'UInt64', 'Int64'];

/** The pointer in force, or null when the chain has no tables yet. */
export async function readPointer(store: AnalyticsStore, chain: string): Promise<Pointer | null> {
  try {
    const rows = await store.query<Record<string, string>>(
      `SELECT version, generation, epoch, fold_version, seq FROM ${META_DATABASE}.pointers
       WHERE chain = {chain:String} ORDER BY version DESC LIMIT 1 SETTINGS max_threads = 1`,
      { chain },
    );
    const row = rows[0];
    return row === undefined ? null : readRow(row);
  } catch (error) {
    if (isMissingTable(error)) return null;
    throw error;
  }
}

/**
 * Only one process flips a chain's pointer at a time: the holder of the sink's fence. One that slept since it read the pointer, while
 * another one flipped it, is refused by the engine (`store_guard`).
 */
export async function flipPointer(
  store: AnalyticsStore,
  chain: string,
  to: { generation: number; epoch: number; foldVersion: number; seq: number },
): Promise<void> {
  await migrate(store, META_DATABASE);
  const version = ((await readPointer(store, chain))?.version ?? 0) + 1;
  const holds =
    `(SELECT count() FROM ${META_DATABASE}.pointers ` +
    `WHERE chain = ${sqlString(chain)} AND version >= ${version}) = 0`;
  const row = new RowBuffer(128);
  row.text(chain);
  row.uint64(version);
  row.uint64(to.generation);
  row.uint64(to.epoch);
  row.uint64(to.foldVersion);
  row.int64(to.seq);
  await store.insert(`${META_DATABASE}.pointers`, columns, row.take(), null, { holds, types });
}

function readRow(row: Record<string, string>): Pointer {
  return {
    version: Number(row.version),
    generation: Number(row.generation),
    epoch: Number(row.epoch),
    foldVersion: Number(row.fold_version),
    seq: Number(row.seq),
  };
}
