import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { bucketStart, foldedIntervals } from '#libs/pipeline/fold/candles.js';
import { bucketSql } from '../market/candle-intervals.js';
import { emptyCheckpoint, purgeCheckpoints, readCheckpoint, writeCheckpoint } from '../market/checkpoint.js';
import { seqTables } from '../market/journals.js';
import { MarketTables } from '../market/market-tables.js';
import { flipPointer, readPointer } from '../market/pointer.js';
import { marketReads } from '../market/reads.js';
import { sealCandles } from '../market/seal.js';
import type { View } from '../market/view.js';
import type { AnalyticsStore, QueryValue } from '../store.js';
import { compareReads } from './compare-reads.js';
import { NaiveReads } from './naive-reads.js';
import { RandomFacts } from './random-facts.js';
import { encodeTables } from './row-encoder.js';
import { seeded } from './seeded.js';
import type { StoreKind, StoreUnderTest } from './stores-under-test.js';
import { tableHashes } from './table-hash.js';
import { TableWriter } from './table-writer.js';

/** Random histories in the tables, read at random views, against the same reads over the plain list of groups. */
export function marketContract(kind: StoreKind): void {
  describe(`market tables: ${kind.name}`, () => {
    let under: StoreUnderTest;

    beforeAll(async () => {
      under = await kind.open();
    });

    afterAll(async () => {
      await under.cleanUp();
    });

    it('read as the history says, at every view that is not purged', async () => {
      for (let run = 0; run < scaled(10); run++) {
        const seed = testSeed();
        await withTables(under, 1, async (tables) => {
          const random = new SeededRandom(seed);
          const { facts, views } = await randomTables(random, tables);
          await seeded(seed, () => compareReads(random, tables, facts, views));
        });
      }
    }, 600_000);

    it('hash alike when the same history is written another way, and not when a row differs', async () => {
      for (let run = 0; run < scaled(10); run++) {
        const seed = testSeed();
        await withTables(under, 1, (first) =>
          withTables(under, 2, (second) => seeded(seed, () => compareReplay(new SeededRandom(seed), first, second))),
        );
      }
    }, 600_000);

    it('hash alike, apart from seq, to the surviving chain alone', async () => {
      for (let run = 0; run < scaled(10); run++) {
        const seed = testSeed();
        await withTables(under, 1, (first) =>
          withTables(under, 2, (second) => seeded(seed, () => compareSurvivors(new SeededRandom(seed), first, second))),
        );
      }
    }, 600_000);

    it('tell in countRows when a copy misses rows, and a repeat completes it', async () => {
      const seed = testSeed();
      await withTables(under, 1, (tables) => seeded(seed, () => cutCopyShort(new SeededRandom(seed), tables)));
    });

    it('count the rows of a batch by reading what its times allow, however long the table', async () => {
      await withTables(under, 1, (tables) => countLittle(tables));
    });

    it('seal the same again without a difference, and bury candles whose trades are gone', async () => {
      const seed = testSeed();
      await withTables(under, 1, (tables) => seeded(seed, () => resealBelowFinality(new SeededRandom(seed), tables)));
    });

    it('put a time into the same bucket in SQL as in code', async () => {
      const seed = testSeed();
      const random = new SeededRandom(seed);
      const times = Array.from({ length: 300 }, () => 4 * 86_400 + random.below(2 ** 32 - 5 * 86_400));
      await seeded(seed, async () => {
        for (const interval of foldedIntervals) {
          const rows = await under.store.query<{ start: string }>(
            `SELECT ${bucketSql(interval, 'second')} AS start FROM (SELECT arrayJoin({times:Array(UInt32)}) AS second)`,
            { times },
          );
          const starts = rows.map(({ start }) => Number(start) * 1000);
          expect({ interval, starts }).toEqual({
            interval,
            starts: times.map((time) => bucketStart(interval, time * 1000)),
          });
        }
      });
    });

    it('keep the newest whole checkpoint row and the newest pointer', async () => {
      await withTables(under, 1, (tables) => newestRowWins(tables));
    });
  });
}

/** A database of its own for one run; it is dropped afterwards, also when the run fails. */
async function withTables(under: StoreUnderTest, generation: number, run: (tables: MarketTables) => Promise<void>) {
  const tables = new MarketTables(under.store, 'suite', generation);
  await tables.drop();
  await tables.ensure();
  try {
    await run(tables);
  } finally {
    await tables.drop();
  }
}

interface RandomTables {
  facts: RandomFacts;
  views: View[];
}

/** Batches of random sizes, some written twice; seals and purges in between; a view after each of them. */
async function randomTables(random: SeededRandom, tables: MarketTables, groups = 70): Promise<RandomTables> {
  const facts = new RandomFacts(random);
  const writer = new TableWriter(tables);
  let views: View[] = [];
  while (facts.groups.length < groups) {
    const written = facts.groups.length;
    for (let i = random.below(12); i >= 0; i--) facts.step();
    const batch = facts.groups.slice(writer.checkpoint.seq < 0 ? 0 : written);
    await writer.write(batch, random.chance(0.2));
    views.push(writer.view);
    if (random.chance(0.5)) {
      await writer.seal();
      views.push(writer.view);
    }
    if (random.chance(0.15)) {
      await writer.purge();
      views = views.filter(({ seq }) => seq >= writer.checkpoint.purgedSeq);
      views.push(writer.view);
    }
  }
  return { facts, views };
}

/** Other batches, other seals, no purge: visible rows are the same, so the hashes are. */
async function compareReplay(random: SeededRandom, first: MarketTables, second: MarketTables): Promise<void> {
  const { facts, views } = await randomTables(random, first, 60);
  const replay = new TableWriter(second);
  for (let at = 0; at < facts.groups.length; ) {
    const size = 1 + random.below(40);
    await replay.write(facts.groups.slice(at, at + size));
    at += size;
  }
  await replay.seal();
  const live = views.at(-1)!;
  const sealedTime = Math.min(live.sealedTime, replay.view.sealedTime);
  const expected = await tableHashes(first, { ...live, sealedTime });
  expect(Object.keys(expected).sort()).toEqual([...seqTables, 'candles'].sort());
  expect(await tableHashes(second, { ...replay.view, sealedTime })).toEqual(expected);
  for (const table of seqTables) {
    if (expected[table]!.startsWith('0:')) continue;
    const column = table === 'retractions' ? 'from_seq' : 'block';
    const select = `SELECT * REPLACE (${column} + 1 AS ${column}) FROM ${second.database}.${table}`;
    await second.store.command(
      `INSERT INTO ${second.database}.${table} ${select} WHERE ${rowsOf(replay.view)} LIMIT 1`,
    );
    const changed = await tableHashes(second, { ...replay.view, sealedTime }, { only: [table] });
    expect({ table, hash: changed[table] }).not.toEqual({ table, hash: expected[table] });
  }
}

function rowsOf(view: View): string {
  const gone = view.retracted.map(({ fromSeq, retractSeq }) => `AND (seq < ${fromSeq} OR seq >= ${retractSeq})`);
  return `seq <= ${view.seq} ${gone.join(' ')}`;
}

async function compareSurvivors(random: SeededRandom, first: MarketTables, second: MarketTables): Promise<void> {
  const { facts, views } = await randomTables(random, first, 60);
  const alone = new TableWriter(second);
  await alone.write(facts.survivingHistory());
  await alone.seal(views.at(-1)!.sealedTime);
  const ignoreSeq = { ignoreSeq: true };
  expect(await tableHashes(first, views.at(-1)!, ignoreSeq)).toEqual(await tableHashes(second, alone.view, ignoreSeq));
}

async function cutCopyShort(random: SeededRandom, tables: MarketTables): Promise<void> {
  const facts = new RandomFacts(random);
  for (let i = 0; i < 20; i++) facts.block();
  const { database, store } = tables;
  await store.command(`DETACH TABLE ${database}.trades_by_quote_copy SYNC`);
  await store.command(`DETACH TABLE ${database}.pools_by_token_copy SYNC`);
  const batches = encodeTables(facts.groups);
  const last = facts.groups.length - 1;
  for (const batch of batches) await tables.insert(batch, 'first');
  await store.command(`ATTACH TABLE ${database}.trades_by_quote_copy`);
  await store.command(`ATTACH TABLE ${database}.pools_by_token_copy`);
  for (const batch of batches) {
    const copied = batch.table === 'trades' || batch.table === 'pools';
    expect({ ...batch, body: 0, found: await tables.countRows(batch.table, 0, last) }).toMatchObject({
      found: copied ? 0 : batch.rows,
    });
  }
  for (const batch of batches) await tables.insert(batch, 'first');
  for (const batch of batches) {
    expect(await tables.countRows(batch.table, 0, last)).toBe(batch.rows);
    const [row] = await store.query<{ n: string }>(`SELECT count() AS n FROM ${database}.${batch.table}`);
    expect(Number(row!.n)).toBe(batch.rows);
  }
  expect(await tables.countRows('trades', last + 1, last + 10)).toBe(0);
}

/** Tables that grow with the chain. */
const GROWING = ['blocks', 'trades', 'transfers', 'prices', 'reference_prices', 'pool_states'];
const KEYS = 8;

async function countLittle(tables: MarketTables): Promise<void> {
  const { database, store } = tables;
  const rows = 200_000;
  for (const table of GROWING) {
    // Some keys, each through the whole time: no part of the table's order is younger than another.
    const key = { blocks: 'hash', trades: 'base', transfers: 'token', pool_states: 'pool' }[table] ?? 'token';
    const block = table === 'blocks' ? 'number' : `intDiv(number, ${KEYS})`;
    await store.command(
      `INSERT INTO ${database}.${table} (seq, block, time, ${key})
       SELECT intDiv(number, ${KEYS}), ${block}, fromUnixTimestamp64Milli(toInt64(1700000000000 + intDiv(number, ${KEYS}) * 1000), 'UTC'),
         toString(number % ${KEYS}) FROM numbers({rows:UInt32})`,
      { rows },
    );
  }
  const asked: { sql: string; params: Record<string, QueryValue> }[] = [];
  const listening: AnalyticsStore = Object.create(store, {
    query: {
      value: (sql: string, params: Record<string, QueryValue>, options: object) => {
        asked.push({ sql, params });
        return store.query(sql, params, options);
      },
    },
  });
  const listened = new MarketTables(listening, tables.chain, tables.generation);
  const [from, to] = [rows / KEYS - 10, rows / KEYS - 1];
  const times = { from: 1_700_000_000_000 + from * 1_000, to: 1_700_000_000_000 + to * 1_000 };
  for (const table of GROWING) {
    asked.length = 0;
    expect({ table, counted: await listened.countRows(table, from, to, times) }).toEqual({ table, counted: 10 * KEYS });
    expect(asked).toHaveLength(table === 'trades' ? 3 : 1);
    for (const { sql, params } of asked) {
      const estimate = await store.query<{ rows: string }>(`EXPLAIN ESTIMATE ${sql}`, params);
      const looked = estimate.reduce((sum, { rows: some }) => sum + Number(some), 0);
      // Of each key the granule at its end, and the neighbour that it may share with the next.
      expect({ sql, looked, enough: looked <= (2 * KEYS + 1) * 1_024 }).toEqual({ sql, looked, enough: true });
      expect(looked).toBeGreaterThanOrEqual(10 * KEYS);
    }
  }
}

async function resealBelowFinality(random: SeededRandom, tables: MarketTables): Promise<void> {
  const facts = new RandomFacts(random);
  const writer = new TableWriter(tables);
  for (let i = 0; i < 40; i++) facts.block();
  facts.finalize();
  await writer.write(facts.groups);
  await writer.seal();
  const before = writer.view;
  const hashes = await tableHashes(tables, before);
  expect(hashes.candles).not.toMatch(/^0:/);
  await sealCandles(tables, { fromTime: 0, toTime: before.sealedTime, sealSeq: before.seq, view: before });
  expect(await tableHashes(tables, before)).toEqual(hashes);

  const written = facts.groups.length;
  facts.retract(30);
  for (let i = 0; i < 12; i++) facts.block();
  facts.finalize();
  await writer.write(facts.groups.slice(written));
  expect(writer.view.sealedTime).toBeLessThan(before.sealedTime);
  await writer.seal(Math.max(before.sealedTime, writer.checkpoint.sealedBlockTime));
  const alone = new NaiveReads(facts.groups);
  const reads = marketReads(tables);
  const asOf = (view: View) => ({ ...view, asOfBlock: 100 + random.below(facts.headHeight - 100) });
  for (const view of [writer.view, before, asOf(before), asOf(before), asOf(writer.view)]) {
    for (const token of facts.tokenIds.slice(0, 3)) {
      for (const interval of ['1m', '1h', '1d'] as const) {
        const query = { token, interval, fromTime: 0, toTime: alone.endOfTime(), limit: 1000 };
        expect(await reads.candleBuckets(view, query)).toEqual(alone.candleBuckets(view, query));
      }
    }
  }
  const [buried] = await tables.store.query<{ n: string }>(
    `SELECT count() AS n FROM ${tables.database}.candles WHERE trades = 0`,
  );
  expect(Number(buried!.n)).toBeGreaterThan(0);

  const seen = await tableHashes(tables, writer.view);
  const gone = writer.checkpoint.retracted[0]!;
  await writer.purge();
  expect(await tableHashes(tables, writer.view)).toEqual(seen);
  for (const table of seqTables.filter((name) => name !== 'retractions')) {
    const left = await tables.store.query(
      `SELECT seq FROM ${tables.database}.${table} WHERE seq >= {from:UInt64} AND seq < {to:UInt64}`,
      { from: gone.fromSeq, to: gone.retractSeq },
    );
    expect({ table, left }).toEqual({ table, left: [] });
  }
}

async function newestRowWins(tables: MarketTables): Promise<void> {
  const { store } = tables;
  expect(await readCheckpoint(store, tables)).toBeNull();
  const base = emptyCheckpoint({ generation: tables.generation, epoch: 1, foldVersion: 2 });
  expect(base.seq).toBe(-1);
  const rows = [
    { ...base, seq: 9, step: 0, sealedTime: 5_000, sealSeq: 8 },
    {
      ...base,
      seq: 10,
      step: 1,
      sealedTime: 100,
      proof: 'sampled' as const,
      state: 'sealing' as const,
      retracted: [{ fromSeq: 3, retractSeq: 10 }],
    },
    { ...base, seq: 10, step: 0, sealedTime: 200 },
    { ...base, seq: 2, step: 7, finalizedHeight: 99, sealedTime: 900 },
  ];
  for (const row of rows) await writeCheckpoint(tables, row);
  await writeCheckpoint(tables, rows[1]!);
  expect(await readCheckpoint(store, tables)).toEqual(rows[1]);
  // Written again after its row was lost behind a token, it is there again.
  await store.command(`DELETE FROM ${tables.database}.checkpoints WHERE seq = 10 AND step = 1`);
  await writeCheckpoint(tables, rows[1]!);
  expect(await readCheckpoint(store, tables)).toEqual(rows[1]);
  await purgeCheckpoints(tables, 10);
  expect(await readCheckpoint(store, tables)).toEqual(rows[1]);

  const chain = `suite${process.pid}${Date.now()}`;
  expect(await readPointer(store, chain)).toBeNull();
  await flipPointer(store, chain, { generation: 1, epoch: 1, foldVersion: 2, seq: -1 });
  await flipPointer(store, chain, { generation: 2, epoch: 1, foldVersion: 3, seq: 77 });
  expect(await readPointer(store, chain)).toEqual({ version: 2, generation: 2, epoch: 1, foldVersion: 3, seq: 77 });
  await store.command('DELETE FROM md_meta.pointers WHERE chain = {chain:String}', { chain });
}
