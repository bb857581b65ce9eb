import { intervals } from '#libs/fold/candles.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { MarketTables } from '../market/market-tables.js';
import { MarketReads } from '../market/reads.js';
import type { View } from '../market/view.js';
import { NaiveReads } from './naive-reads.js';
import { Random, scaled, testSeed } from './random.js';
import { RandomFacts } from './random-facts.js';
import type { StoreKind, StoreUnderTest } from './stores-under-test.js';
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
      for (let run = 0; run < scaled(40); run++) {
        const seed = testSeed();
        await withTables(under, 1, async (tables) => {
          const random = new Random(seed);
          const { facts, views } = await randomTables(random, tables);
          await seeded(seed, () => compareReads(random, tables, facts, views));
        });
      }
    }, 600_000);
  });
}

/** A database of its own for one run; it is dropped afterwards, also when the run fails. */
export async function withTables(under: StoreUnderTest, generation: number, run: (tables: MarketTables) => Promise<void>) {
  const tables = new MarketTables(under.store, 'suite', generation);
  await tables.drop();
  await tables.ensure();
  try {
    await run(tables);
  } finally {
    await tables.drop();
  }
}

/** Says which seed repeats a failure. */
export async function seeded(seed: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${(error as Error).message}`;
    throw error;
  }
}

interface RandomTables {
  facts: RandomFacts;
  views: View[];
}

/** Batches of random sizes, some written twice; seals and purges in between; a view after each of them. */
export async function randomTables(random: Random, tables: MarketTables, groups = 120): Promise<RandomTables> {
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

async function compareReads(random: Random, tables: MarketTables, facts: RandomFacts, views: View[]): Promise<void> {
  const naive = new NaiveReads(facts.groups);
  const reads = new MarketReads(tables);
  for (const view of [views.at(-1)!, views[0]!, ...Array.from({ length: 6 }, () => random.pick(views))]) {
    const asOfBlock = random.chance(0.3) ? 100 + random.below(facts.headHeight - 90) : undefined;
    const pinned = { ...view, asOfBlock };
    await compareTrades(random, facts, naive, reads, pinned);
    await compareCandles(random, facts, naive, reads, pinned);
    await comparePrices(random, facts, naive, reads, pinned);
    await compareEntities(random, facts, naive, reads, pinned);
  }
}

function timeIn(random: Random, groups: readonly FactsGroup[]): number {
  const time = random.pick(groups).time;
  return random.chance(0.5) ? time : time + random.below(7_200_000) - 3_600_000;
}

async function compareTrades(random: Random, facts: RandomFacts, naive: NaiveReads, reads: MarketReads, view: View) {
  for (let i = 0; i < 4; i++) {
    const query = {
      token: random.pick(facts.tokenIds),
      pool: random.chance(0.3) ? random.pick(facts.poolIds) : undefined,
      wallet: random.chance(0.3) ? random.pick(facts.walletIds) : undefined,
      fromTime: random.chance(0.3) ? timeIn(random, facts.groups) : undefined,
      toTime: random.chance(0.3) ? timeIn(random, facts.groups) : undefined,
      limit: 1 + random.below(20),
    };
    let before: { block: number; ordinal: number } | undefined;
    for (let page = 0; page < 3; page++) {
      const found = await reads.tradesPage(view, { ...query, before });
      expect(found).toEqual(naive.tradesPage(view, { ...query, before }));
      const last = found.at(-1);
      if (last === undefined) break;
      before = { block: last.block, ordinal: last.ordinal };
    }
  }
}

async function compareCandles(random: Random, facts: RandomFacts, naive: NaiveReads, reads: MarketReads, view: View) {
  for (const interval of intervals) {
    const query = {
      token: random.pick(facts.tokenIds),
      pool: random.chance(0.2) ? random.pick(facts.poolIds) : undefined,
      interval,
      fromTime: random.chance(0.3) ? timeIn(random, facts.groups) : 0,
      toTime: random.chance(0.3) ? timeIn(random, facts.groups) : naive.endOfTime(),
      limit: random.chance(0.3) ? 1 + random.below(5) : 300,
    };
    expect({ query, rows: await reads.candleBuckets(view, query) }).toEqual({ query, rows: naive.candleBuckets(view, query) });
  }
}

async function comparePrices(random: Random, facts: RandomFacts, naive: NaiveReads, reads: MarketReads, view: View) {
  const beforeTime = random.chance(0.5) ? timeIn(random, facts.groups) : undefined;
  const place = ({ seq: _seq, block: _block, time: _time, ...price }: { seq: number; block: number; time: number }) => price;
  const found = await reads.prices(view, facts.tokenIds, beforeTime);
  for (const token of facts.tokenIds) {
    const row = found.find((price) => price.token === token);
    expect(row === undefined ? null : place(row)).toEqual(naive.price(view, token, beforeTime));
  }
  const sorted = [...naive.references(view, beforeTime)].sort((a, b) => (a.token < b.token ? -1 : 1));
  expect(await reads.references(view, beforeTime)).toEqual(sorted);
  const coin = facts.tokenIds[0]!;
  const times = Array.from({ length: 12 }, () => timeIn(random, facts.groups));
  expect(await reads.referenceAt(view, coin, times)).toEqual(
    times.map((time) => naive.references(view, time).find(({ token }) => token === coin)?.usd ?? null),
  );
  const windows = Array.from({ length: 3 }, () => ({
    fromTime: timeIn(random, facts.groups),
    countedBuyers: facts.walletIds.filter(() => random.chance(0.3)),
    countedSellers: facts.walletIds.filter(() => random.chance(0.3)),
  }));
  const token = random.pick(facts.tokenIds);
  expect(await reads.tokenStats(view, token, windows)).toEqual(windows.map((window) => naive.stats(view, token, window)));
}

async function compareEntities(random: Random, facts: RandomFacts, naive: NaiveReads, reads: MarketReads, view: View) {
  const blocks = naive.blocks(view);
  const height = 99 + random.below(facts.headHeight - 95);
  const rowOf = (block: (typeof blocks)[number] | undefined) =>
    block === undefined
      ? null
      : { seq: block.seq, height: block.height, hash: block.hash, parentHash: block.parentHash, time: block.time };
  expect(await reads.blockAt(view, height)).toEqual(rowOf(blocks.find((block) => block.height === height)));
  const time = timeIn(random, facts.groups);
  expect(await reads.blockByTime(view, time)).toEqual(rowOf(blocks.filter((block) => block.time <= time).at(-1)));

  const place = (block: (typeof blocks)[number]) => ({ seq: block.seq, block: block.height, time: block.time });
  const tokens = blocks.flatMap((block) => block.tokens.map((token) => ({ ...token, ...place(block) })));
  for (const id of facts.tokenIds) {
    expect(await reads.token(view, id)).toEqual(tokens.filter(({ token }) => token === id).at(-1) ?? null);
  }
  const known = await reads.knownTokens(view, 3);
  expect(known.map(({ seq }) => seq)).toEqual([...tokens].reverse().slice(0, 3).map(({ seq }) => seq));

  const states = naive.visible(view).flatMap((group) => group.poolStates.map((state) => ({ group, state })));
  const id = random.pick(facts.tokenIds);
  const pools = blocks.flatMap((block) => block.pools.map((pool) => ({ ...pool, ...place(block) })));
  const expected = pools
    .filter(({ token0, token1 }) => token0 === id || token1 === id)
    .map((pool) => {
      const newest = states.filter(({ state }) => state.pool === pool.pool).at(-1);
      return { ...pool, state: newest === undefined ? null : stateRow(newest) };
    })
    .sort((a, b) => a.seq - b.seq || (a.pool < b.pool ? -1 : 1));
  expect(await reads.poolsOfToken(view, id)).toEqual(expected);
}

function stateRow({ group, state }: { group: FactsGroup; state: { reserve0: bigint; reserve1: bigint; anchored: boolean; concentrated: { sqrtPriceX96: bigint; tick: number; liquidity: bigint } | null } }) {
  const { reserve0, reserve1, anchored, concentrated } = state;
  const shown =
    concentrated === null
      ? null
      : { sqrtPriceX96: concentrated.sqrtPriceX96, tick: concentrated.tick, liquidity: concentrated.liquidity };
  return { seq: group.seq, block: group.height, time: group.time, reserve0, reserve1, concentrated: shown, anchored };
}
