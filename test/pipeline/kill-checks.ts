import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { seqTables } from '#libs/pipeline/store/market/journals.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { hashesOf, sinkAll } from './real-pipeline.js';

/** What a sink that was killed again and again must have left: the tables of a sink that was not, row for row. */

/** Tables of generation 1, which was killed, against generation 2, which was not. */
export async function compareWithUninterrupted(
  log: EventLog,
  store: AnalyticsStore,
  groups: readonly BlocksGroup[],
): Promise<void> {
  const { chain } = groups[0]!;
  const sealTo = Math.max(...groups.map(({ time }) => time)) + 40 * 86_400_000;
  const calm = await sinkAll(log, store, chain, 2, { sealTo, maxGroups: 64 });
  const killed = await sealed(store, chain, sealTo);
  const position = ({ epoch, seq, height, hash, parentHash, time, sealedHeight, finalizedHeight }: Checkpoint) => ({
    ...{ epoch, seq, height, hash, parentHash, time, sealedHeight, finalizedHeight },
  });
  expect(position(killed)).toEqual(position(calm));
  const expected = await hashesOf(store, chain, calm);
  expect(await new MarketTables(store, chain, 2).countRows('trades', 0, calm.seq)).toBeGreaterThan(20);
  expect(await hashesOf(store, chain, killed)).toEqual(expected);
  // In the view of the other one too: ranges that were purged here are only named there.
  expect(await hashesOf(store, chain, { ...killed, retracted: calm.retracted })).toEqual(expected);
  if (killed.purgedSeq < 0) expect(await rowsOf(store, chain, 1)).toEqual(await rowsOf(store, chain, 2));
  const { database } = new MarketTables(store, chain, 1);
  for (const [table, copy] of [
    ['trades', 'trades_by_quote'],
    ['trades_by_quote', 'trades'],
  ]) {
    const sql = `SELECT * FROM ${database}.${table} EXCEPT ALL SELECT * FROM ${database}.${copy}`;
    expect({ table, alone: await store.query(sql) }).toEqual({ table, alone: [] });
  }
}

/** All rows that were inserted, those of retracted blocks too. */
async function rowsOf(store: AnalyticsStore, chain: string, generation: number): Promise<Record<string, string>> {
  const { database } = new MarketTables(store, chain, generation);
  const counts: Record<string, string> = {};
  for (const table of seqTables) {
    const [found] = await store.query<{ n: string }>(`SELECT count() AS n FROM ${database}.${table}`);
    counts[table] = found!.n;
  }
  return counts;
}

async function sealed(store: AnalyticsStore, chain: string, sealTo: number): Promise<Checkpoint> {
  const tables = storeTables(store, chain).generation(1);
  const checkpoint = (await tables.readCheckpoint())!;
  await tables.seal(checkpoint, sealTo);
  const after = { ...checkpoint, step: checkpoint.step + 1, sealSeq: checkpoint.seq, sealedTime: sealTo };
  await tables.writeCheckpoint(after);
  return after;
}
