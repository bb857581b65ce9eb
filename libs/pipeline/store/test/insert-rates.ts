import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { openChdbStore } from '../chdb-store.js';
import { MarketTables } from '../market/market-tables.js';
import { encodeTables } from './row-encoder.js';

/**
 * How fast facts become rows: encoding alone, encoding and inserting as a sink does, and the engine alone on the very
 * same bytes. Run: UV_THREADPOOL_SIZE=16 node --import ./libs/pipeline/store/test/run-typescript.mjs libs/pipeline/store/test/insert-rates.ts
 */
const blocksInBatch = Number(process.argv[2] ?? 100);
const batches = Number(process.argv[3] ?? 8);
const random = new SeededRandom(1);
const ids = (count: number, bytes: number) => Array.from({ length: count }, () => random.hex(bytes));
const [tokens, pools, wallets] = [ids(2_000, 20), ids(3_000, 20), ids(20_000, 20)];

function makeBlock(seq: number): FactsBlock {
  const height = 18_000_000 + seq;
  const place = { chain: 'eth', epoch: 1, seq, height, time: 1_700_000_000_000 + seq * 12_000 };
  return {
    kind: 'block',
    ...place,
    ...{ hash: random.hex(32), parentHash: random.hex(32), inputHash: random.hex(16) },
    trades: Array.from({ length: 150 }, (_, i) => ({
      ordinal: i * 3,
      txOrdinal: 0,
      tx: random.hex(32),
      wallet: random.pick(wallets),
      pool: random.pick(pools),
      venue: 'uniswap-v2',
      base: random.pick(tokens),
      quote: tokens[random.below(3)]!,
      baseDecimals: 18,
      quoteDecimals: 18,
      side: random.chance(0.5) ? 'buy' : 'sell',
      baseAmount: random.bits(90),
      quoteAmount: random.bits(80),
      priceUsd: random.bits(130),
      coinUsd: 2_000n * 10n ** 36n,
      volumeUsd: random.bits(75),
      volumeCoin: random.bits(65),
      counted: true,
    })),
    transfers: Array.from({ length: 300 }, (_, i) => ({
      ordinal: i,
      tx: random.hex(32),
      token: random.pick(tokens),
      from: random.pick(wallets),
      to: random.pick(wallets),
      amount: random.bits(90),
    })),
    tokens: [],
    pools: [],
    poolStates: Array.from({ length: 100 }, () => ({
      pool: random.pick(pools),
      reserve0: random.bits(90),
      reserve1: random.bits(80),
      concentrated: null,
      anchored: true,
      setApart: null,
    })),
    prices: Array.from({ length: 80 }, () => ({
      token: random.pick(tokens),
      pool: random.pick(pools),
      quote: tokens[0]!,
      spot: random.bits(120),
      level: 2,
    })),
    references: [{ token: tokens[0]!, usd: random.bits(130) }],
  };
}

const groups = Array.from({ length: batches }, (_, batch) =>
  Array.from({ length: blocksInBatch }, (_, i) => makeBlock(1 + batch * blocksInBatch + i)),
);
/** Wall time and the CPU time of all threads: on a busy machine only the second says something. */
class Stopwatch {
  private readonly wall = performance.now();
  private readonly cpu = process.cpuUsage();

  read(): { wall: number; cpu: number } {
    const { user, system } = process.cpuUsage(this.cpu);
    return { wall: performance.now() - this.wall, cpu: (user + system) / 1000 };
  }
}

const rate = (rows: number, { wall, cpu }: { wall: number; cpu: number }) =>
  `${Math.round(rows / wall)}k rows/s, ${Math.round(rows / cpu)}k rows per CPU second`;

encodeTables(groups[0]!);
let watch = new Stopwatch();
const encoded = groups.map((batch) => encodeTables(batch));
const encodeTime = watch.read();
const rows = encoded.flat().reduce((sum, batch) => sum + batch.rows, 0);
const bytes = encoded.flat().reduce((sum, batch) => sum + batch.body.length, 0);
console.log(`${rows} rows, ${(bytes / 2 ** 20).toFixed(0)} MB, ${batches} batches of ${blocksInBatch} blocks`);
console.log(`encode alone:            ${rate(rows, encodeTime)}`);
const trades = encoded.flat().filter(({ table }) => table === 'trades');
const tradeRows = trades.reduce((sum, batch) => sum + batch.rows, 0);
const onlyTrades = groups.map((batch) =>
  batch.map((block) => ({ ...block, transfers: [], poolStates: [], prices: [], references: [] })),
);
watch = new Stopwatch();
for (const batch of onlyTrades) encodeTables(batch);
console.log(`encode, trades only:     ${rate(tradeRows, watch.read())}`);

const dir = mkdtempSync(join(tmpdir(), 'tidepool-rates-'));
const store = await openChdbStore({ dir });
const tables = new MarketTables(store, 'eth', 1);
await tables.ensure();
watch = new Stopwatch();
for (const [index, batch] of groups.entries()) {
  for (const table of encodeTables(batch)) await tables.insert(table, `batch-${index}`);
}
const sinkTime = watch.read();
console.log(`encode and insert:       ${rate(rows, sinkTime)}`);

const raw = new MarketTables(store, 'eth', 2);
await raw.ensure();
const session = new Session(dir);
const files = encoded.flat().map(({ table, columns, body }, index) => {
  const path = join(dir, `raw-${index}`);
  writeFileSync(path, body);
  return { path, into: `${raw.database}.${table} (${columns.join(', ')})` };
});
watch = new Stopwatch();
for (const { path, into } of files)
  await session.queryAsync(`INSERT INTO ${into} FROM INFILE '${path}' FORMAT RowBinary`);
const rawTime = watch.read();
console.log(`engine alone, same bytes: ${rate(rows, rawTime)}`);
const share = (part: number, whole: number) => `${((part / whole) * 100).toFixed(0)}%`;
console.log(
  `encode and insert against the engine alone: ${share(rawTime.wall, sinkTime.wall)} by time, ${share(rawTime.cpu, sinkTime.cpu)} by CPU`,
);
session.close();
await store.close();
rmSync(dir, { recursive: true, force: true });
