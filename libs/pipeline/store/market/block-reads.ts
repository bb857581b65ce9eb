import type { Hex } from '#libs/core/ids.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import { storedProof } from './stored-proof.js';
import { type View, visible } from './view.js';

export interface BlockRow {
  seq: number;
  height: number;
  hash: Hex;
  parentHash: Hex;
  /** Absent where its source did not say. */
  proof?: BlockProof;
  /** Unix ms. */
  time: number;
}

export function blockAt(tables: MarketTables, view: View, height: number): Promise<BlockRow | null> {
  return newestBlock(tables, view, 'block = {height:UInt64}', { height });
}

/** The last block at or before a time (Unix ms). */
export function blockByTime(tables: MarketTables, view: View, time: number): Promise<BlockRow | null> {
  return newestBlock(tables, view, "time <= fromUnixTimestamp64Milli({time:Int64}, 'UTC')", { time });
}

/** The column, where the table has it: tables of another fold version keep the schema of the program that writes them. */
const PROOF = "COLUMNS('^proof$')";

async function newestBlock(tables: MarketTables, view: View, condition: string, params: Record<string, QueryValue>) {
  const rows = visible(view);
  const [found] = await tables.store.query<
    Record<'seq' | 'block' | 'hash_hex' | 'parent_hex' | 'ms', string> & { proof?: string }
  >(
    `SELECT seq, block, lower(hex(hash)) AS hash_hex, lower(hex(parent)) AS parent_hex, ${PROOF},
       toUnixTimestamp64Milli(time) AS ms
     FROM ${tables.database}.blocks WHERE ${condition} AND ${rows.sql}
     ORDER BY block DESC, seq DESC LIMIT 1 SETTINGS max_threads = 1`,
    { ...rows.params, ...params },
  );
  if (found === undefined) return null;
  return {
    seq: Number(found.seq),
    height: Number(found.block),
    hash: found.hash_hex,
    parentHash: found.parent_hex,
    ...storedProof(found.proof),
    time: Number(found.ms),
  };
}
