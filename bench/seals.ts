import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { printTable } from './lib/table.js';
import { WideMarket } from './lib/wide-market.js';

/**
 * bench/seals: what it costs to seal a minute's candles while the month's table grows by inserts as small as those at the
 * head of a chain, with the merges that the engine makes by itself.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/seals.js [--minutes 600] [--trades 1000] [--tokens 20000]`
 */
const values = benchOptions('seals', { minutes: '600', trades: '1000', tokens: '20000', inserts: '6', rows: '10' });
const [minutes, inserts] = [Number(values.minutes), Number(values.inserts)];
const MINUTE_MS = 60_000;

const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-seals-'));
const store = await openChdbStore({ dir: join(dir, 'store') });
try {
  const rules = { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 };
  const market = new WideMarket({
    ...{ coin: '00'.repeat(20), rules, tokens: Number(values.tokens), wallets: 5_000 },
    ...{ tradesPerBlock: Math.round(Number(values.trades) / inserts), blockMs: MINUTE_MS / inserts },
  });
  const tables = storeTables(store, 'eth').generation(1);
  await tables.ensure();
  const opening = market.opening();
  let sealedTime = opening.time;
  let seq = 0;
  const spent: number[] = [];
  const lines: string[][] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    for (let n = 0; n < inserts; n++) {
      const rows = tables.collect();
      const block = seq === 0 ? market.first() : market.next();
      seq = block.seq;
      rows.add(encodeFactsGroup(block));
      for (const batch of rows.batches()) await tables.insert(batch, `${batch.table}-${seq}`);
    }
    const toTime = sealedTime + MINUTE_MS;
    const checkpoint = { seq, retracted: [], sealSeq: seq, sealedTime } as unknown as Checkpoint;
    const started = performance.now();
    await tables.seal(checkpoint, toTime);
    spent.push(performance.now() - started);
    sealedTime = toTime;
    if (minute % Math.ceil(minutes / Number(values.rows)) !== 0) continue;
    lines.push(await line(minute, spent.splice(0)));
  }
  printTable(['minutes', 'trades', 'parts', 'largest part', 'seal p50, ms', 'p95, ms', 'max, ms'], lines);
} finally {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
}

async function line(minute: number, times: number[]): Promise<string[]> {
  const [parts] = await store.query<{ trades: string; parts: string; largest: string }>(
    `SELECT sum(rows) AS trades, count() AS parts, max(rows) AS largest FROM system.parts
     WHERE active AND table = 'trades'`,
  );
  const at = (share: number): string => percentile(times, share).toFixed(0);
  const count = (value: string): string => Number(value).toLocaleString();
  return [String(minute), count(parts!.trades), parts!.parts, count(parts!.largest), at(0.5), at(0.95), at(1)];
}
