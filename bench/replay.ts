import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import { type SinkTables, storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { TableBatch } from '#libs/pipeline/store/market/table-batch.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { benchOptions } from './lib/options.js';
import { syntheticBlock, syntheticFacts } from './lib/synthetic-groups.js';
import { printTable } from './lib/table.js';

/**
 * bench/replay: a topic of prepared facts through the real sink into tables (decode, encode rows, intents, inserts,
 * checkpoints, candle seals), against the store alone inserting the very same bytes in the same batches into empty
 * tables. Every round checks that both sides hold the same rows.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/replay.js [--blocks 6000] [--rounds 2]`
 */
const CHAIN = 'eth';
const EPOCH = 1;
const FOLD = 1;
const FINALIZE_EVERY = 64;

const values = benchOptions('replay', { blocks: '6000', rounds: '2' });
const blocks = Number(values.blocks);
const rounds = Number(values.rounds);

const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-replay-'));
const log = await openEmbeddedLog({ dir: join(dir, 'log') });
const store = await openChdbStore({ dir: join(dir, 'store') });
try {
  const { lastSeq, bytes } = await prepareFacts(log);
  const table: string[][] = [];
  for (let round = 1; round <= rounds; round++) {
    const generation = round * 2;
    const sink = await runSink(log, store, generation, lastSeq);
    const raw = await insertRaw(store, generation + 1, sink.inserted);
    await mustHoldTheSame(store, generation, generation + 1, sink.inserted);
    table.push(
      row(`round ${round}, topic to tables`, sink.rows, bytes, sink.seconds),
      ...Object.entries(sink.spent).map(([part, seconds]) => [`· ${part}`, '', '', seconds.toFixed(2), '']),
      row(`round ${round}, the store's own insert`, sink.rows, raw.bytes, raw.seconds),
      [`round ${round}, ratio`, '', '', '', (raw.seconds / sink.seconds).toFixed(2)],
    );
    for (const used of [generation, generation + 1]) await new MarketTables(store, CHAIN, used).drop();
  }
  printTable(['', 'rows', 'MB', 'seconds', 'rows/s'], table);
} finally {
  await store.close();
  await log.close();
  rmSync(dir, { recursive: true, force: true });
}

function row(name: string, rows: number, bytes: number, seconds: number): string[] {
  return [
    name,
    rows.toLocaleString(),
    (bytes / 1e6).toFixed(0),
    seconds.toFixed(2),
    Math.round(rows / seconds).toLocaleString(),
  ];
}

/** Appends an epoch group, `blocks` blocks and a finalize group every now and then. */
async function prepareFacts(target: EventLog): Promise<{ lastSeq: number; bytes: number }> {
  const topic = factsTopic(CHAIN, EPOCH, FOLD);
  await target.ensureTopics([topic]);
  const writer = await target.openWriter('bench');
  let seq = 0;
  let bytes = 0;
  let pending: Append[] = [];
  const add = async (value: Uint8Array) => {
    pending.push({ topic, seq: seq++, value });
    bytes += value.length;
    if (pending.length < 200) return;
    await writer.append(pending);
    pending = [];
  };
  const first = syntheticFacts(syntheticBlock(0));
  const { chain, epoch, height, hash, parentHash, time, inputHash } = first;
  const coin = { token: '00'.repeat(20), symbol: 'WETH', decimals: 18 };
  const rules = { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 };
  const reference = {
    family: 'evm',
    genesisHash: hash,
    startHeight: height,
    decoderVersion: 1,
    coin,
    stables: [],
    rules,
  } as const;
  await add(
    encodeFactsGroup({
      ...{ kind: 'epoch', chain, epoch, seq: 0, height, hash, parentHash, time, inputHash },
      reference: { ...reference, stables: [] },
    }),
  );
  for (let block = 1; block <= blocks; block++) {
    const facts = { ...syntheticFacts(syntheticBlock(block)), seq };
    await add(encodeFactsGroup(facts));
    if (block % FINALIZE_EVERY !== 0) continue;
    const { trades, transfers, tokens, pools, poolStates, prices, references, ...envelope } = facts;
    await add(encodeFactsGroup({ ...envelope, kind: 'finalize', seq, finalizedHeight: facts.height }));
  }
  if (pending.length > 0) await writer.append(pending);
  await writer.close();
  return { lastSeq: seq - 1, bytes };
}

async function runSink(
  source: EventLog,
  target: AnalyticsStore,
  generation: number,
  lastSeq: number,
): Promise<{ seconds: number; rows: number; inserted: TableBatch[]; spent: Record<string, number> }> {
  const inserted: TableBatch[] = [];
  const tables = storeTables(target, CHAIN).generation(generation);
  await tables.ensure();
  const spent: Record<string, number> = {};
  const timed = async <T>(part: string, work: () => T | Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work();
    spent[part] = (spent[part] ?? 0) + (performance.now() - started) / 1000;
    return result;
  };
  const watched: SinkTables = {
    ...tables,
    collect: () => {
      const rows = tables.collect();
      return {
        add: (encoded) => {
          const started = performance.now();
          const head = rows.add(encoded);
          spent['encode rows'] = (spent['encode rows'] ?? 0) + (performance.now() - started) / 1000;
          return head;
        },
        batches: () => rows.batches(),
      };
    },
    insert: async (batch, token) => {
      await timed('insert', () => tables.insert(batch, token));
      inserted.push(batch as TableBatch);
    },
    writeCheckpoint: (checkpoint) => timed('checkpoint', () => tables.writeCheckpoint(checkpoint)),
    seal: (checkpoint, toTime) => timed('seal candles', () => tables.seal(checkpoint, toTime)),
  };
  const stop = new AbortController();
  const sink = new SinkStage({
    log: source,
    tables: watched,
    chain: CHAIN,
    epoch: EPOCH,
    foldVersion: FOLD,
    generation,
    minIntervalMs: 0,
    onCheckpoint: ({ seq }) => {
      if (seq >= lastSeq) stop.abort();
    },
  });
  const started = performance.now();
  await sink.run(stop.signal);
  const seconds = (performance.now() - started) / 1000;
  const measured = Object.values(spent).reduce((sum, part) => sum + part, 0);
  spent['read and the rest'] = seconds - measured;
  return { seconds, rows: inserted.reduce((sum, batch) => sum + batch.rows, 0), inserted, spent };
}

async function insertRaw(
  target: AnalyticsStore,
  generation: number,
  batches: readonly TableBatch[],
): Promise<{ seconds: number; bytes: number }> {
  const tables = new MarketTables(target, CHAIN, generation);
  await tables.ensure();
  const started = performance.now();
  let bytes = 0;
  for (const [index, batch] of batches.entries()) {
    await tables.insert(batch, `raw-${index}`);
    bytes += batch.body.length;
  }
  return { seconds: (performance.now() - started) / 1000, bytes };
}

async function mustHoldTheSame(
  target: AnalyticsStore,
  left: number,
  right: number,
  batches: readonly TableBatch[],
): Promise<void> {
  const expected = new Map<string, number>();
  for (const { table, rows } of batches) expected.set(table, (expected.get(table) ?? 0) + rows);
  for (const [table, rows] of expected) {
    for (const generation of [left, right]) {
      const { database } = new MarketTables(target, CHAIN, generation);
      const [counted] = await target.query<{ rows: string }>(`SELECT count() AS rows FROM ${database}.${table}`);
      if (Number(counted!.rows) !== rows)
        throw new Error(`${database}.${table}: ${counted!.rows} rows, expected ${rows}`);
    }
  }
}
