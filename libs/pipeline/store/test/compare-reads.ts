import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { foldedIntervals } from '#libs/pipeline/fold/candles.js';
import type { FactsGroup, SetApart, TradeFact } from '#libs/protocol/facts.js';
import { MarketTables } from '../market/market-tables.js';
import { type MarketReads, marketReads } from '../market/reads.js';
import type { View } from '../market/view.js';
import { NaiveReads, naiveVolumes } from './naive-reads.js';
import type { RandomFacts } from './random-facts.js';

/** Random queries at the newest, the oldest and some other views: the tables answer as the list of groups does. */
export async function compareReads(
  random: SeededRandom,
  tables: MarketTables,
  facts: RandomFacts,
  views: View[],
): Promise<void> {
  const naive = new NaiveReads(facts.groups);
  const { store, chain, generation } = tables;
  const reads = marketReads(new MarketTables(store, chain, generation, 1 + random.below(40), 1 + random.below(8)));
  for (const view of [views.at(-1)!, views[0]!, ...Array.from({ length: 3 }, () => random.pick(views))]) {
    const asOfBlock = random.chance(0.4) ? 100 + random.below(facts.headHeight - 90) : undefined;
    const pinned = { ...view, asOfBlock };
    await compareTrades(random, facts, naive, reads, pinned);
    await compareCandles(random, facts, naive, reads, pinned);
    await comparePrices(random, facts, naive, reads, pinned);
    await compareEntities(random, facts, naive, reads, pinned);
  }
  const newest = views.at(-1)!;
  const oldest = Math.max(0, ...newest.retracted.map(({ fromSeq }) => fromSeq));
  const lowered = { ...newest, seq: oldest + random.below(newest.seq - oldest + 1), sealedTime: 0 };
  if (views[0]!.seq <= lowered.seq) await compareTrades(random, facts, naive, reads, lowered);
}

function timeIn(random: SeededRandom, groups: readonly FactsGroup[]): number {
  const time = random.pick(groups).time;
  return random.chance(0.5) ? time : time + random.below(7_200_000) - 3_600_000;
}

async function compareTrades(
  random: SeededRandom,
  facts: RandomFacts,
  naive: NaiveReads,
  reads: MarketReads,
  view: View,
) {
  for (let i = 0; i < 3; i++) {
    const [token, wallet] = [random.pick(facts.tokenIds), random.pick(facts.walletIds)];
    const query = {
      ...random.pick([{ token }, { token }, { token, wallet }, { wallet }]),
      pool: random.chance(0.3) ? random.pick(facts.poolIds) : undefined,
      side: random.chance(0.3) ? random.pick(['buy', 'sell'] as const) : undefined,
      minUsd: random.chance(0.3) ? (naive.trades(view).find(() => random.chance(0.1))?.volumeUsd ?? 0n) : undefined,
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

async function compareCandles(
  random: SeededRandom,
  facts: RandomFacts,
  naive: NaiveReads,
  reads: MarketReads,
  view: View,
) {
  for (let i = 0; i < 5; i++) {
    const interval = random.pick(foldedIntervals);
    const query = {
      token: random.pick(facts.tokenIds),
      pool: random.chance(0.2) ? random.pick(facts.poolIds) : undefined,
      interval,
      fromTime: random.chance(0.3) ? timeIn(random, facts.groups) : 0,
      toTime: random.chance(0.3) ? timeIn(random, facts.groups) : naive.endOfTime(),
      limit: random.chance(0.3) ? 1 + random.below(5) : 300,
      mayBeFew: random.chance(0.5),
    };
    expect({ query, rows: await reads.candleBuckets(view, query) }).toEqual({
      query,
      rows: naive.candleBuckets(view, query),
    });
  }
}

async function comparePrices(
  random: SeededRandom,
  facts: RandomFacts,
  naive: NaiveReads,
  reads: MarketReads,
  view: View,
) {
  const beforeTime = random.chance(0.5) ? timeIn(random, facts.groups) : undefined;
  const place = ({ seq: _seq, block: _block, time: _time, ...price }: { seq: number; block: number; time: number }) =>
    price;
  for (const older of [false, true]) {
    const found = await reads.prices(view, facts.tokenIds, beforeTime, older);
    for (const token of facts.tokenIds) {
      const row = found.find((price) => price.token === token);
      expect(row === undefined ? null : place(row)).toEqual(naive.price(view, token, beforeTime));
    }
  }
  const sorted = [...naive.references(view, beforeTime)].sort((a, b) => (a.token < b.token ? -1 : 1));
  expect(await reads.references(view, beforeTime)).toEqual(sorted);
  const coin = facts.tokenIds[0]!;
  const times = Array.from({ length: 12 }, () => timeIn(random, facts.groups));
  expect(await reads.referenceAt(view, coin, times)).toEqual(
    times.map((time) => naive.references(view, time).find(({ token }) => token === coin)?.usd ?? null),
  );
  // The tail of a busy chain names more wallets than a statement takes.
  const strangers = random.chance(0.3) ? Array.from({ length: random.pick([40, 3_000]) }, () => random.hex(20)) : [];
  const counted = () => [...facts.walletIds.filter(() => random.chance(0.3)), ...strangers];
  const windows = Array.from({ length: 3 }, () => ({
    fromTime: timeIn(random, facts.groups),
    countedBuyers: counted(),
    countedSellers: counted(),
  }));
  const token = random.pick(facts.tokenIds);
  expect(await reads.tokenStats(view, token, windows)).toEqual(
    windows.map((window) => naive.stats(view, token, window)),
  );
}

async function compareEntities(
  random: SeededRandom,
  facts: RandomFacts,
  naive: NaiveReads,
  reads: MarketReads,
  view: View,
) {
  const blocks = naive.blocks(view);
  const height = 99 + random.below(facts.headHeight - 95);
  const rowOf = (block: (typeof blocks)[number] | undefined) =>
    block === undefined
      ? null
      : {
          ...{ seq: block.seq, height: block.height, hash: block.hash, parentHash: block.parentHash, time: block.time },
          proof: block.proof,
        };
  expect(await reads.blockAt(view, height)).toEqual(rowOf(blocks.find((block) => block.height === height)));
  const time = timeIn(random, facts.groups);
  expect(await reads.blockByTime(view, time)).toEqual(rowOf(blocks.filter((block) => block.time <= time).at(-1)));

  const place = ({ seq, height, time }: Pick<FactsGroup, 'seq' | 'height' | 'time'>) => ({ seq, block: height, time });
  const tokens = blocks.flatMap((block) => block.tokens.map((token) => ({ ...token, ...place(block) })));
  for (const id of facts.tokenIds) {
    expect(await reads.token(view, id)).toEqual(tokens.filter(({ token }) => token === id).at(-1) ?? null);
  }
  const known = await reads.knownTokens(view, 3);
  expect(known.map(({ seq }) => seq)).toEqual(
    [...tokens]
      .reverse()
      .slice(0, 3)
      .map(({ seq }) => seq),
  );

  const states = naive.visible(view).flatMap((group) => group.poolStates.map((state) => ({ group, state })));
  const ids = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(facts.tokenIds)))];
  const pools = blocks.flatMap((block) => block.pools.map((pool) => ({ ...pool, ...place(block) })));
  const poolsOf = (id: string) =>
    pools
      .filter(({ token0, token1 }) => token0 === id || token1 === id)
      .map((pool) => {
        const newest = states.filter(({ state }) => state.pool === pool.pool).at(-1);
        return { ...pool, state: newest === undefined ? null : stateRow(newest) };
      })
      .sort((a, b) => a.seq - b.seq || (a.pool < b.pool ? -1 : 1));
  for (const [limit, shown] of [
    [500, 500],
    [2, 2],
    [2, 1],
  ] as const) {
    const expected = ids.map((id) => {
      const all = poolsOf(id);
      const more = all.length > limit;
      return [id, { rows: more ? all.slice(0, shown) : all, more }] as const;
    });
    expect(await reads.poolsOfTokens(view, ids, limit, shown)).toEqual(new Map(expected));
  }

  const fromTime = timeIn(random, facts.groups);
  const limit = 1 + random.below(20);
  const recent = naive.visible(view).filter(({ time }) => time >= fromTime);
  const steps = recent.flatMap((group) => group.prices.map((price) => ({ ...price, ...place(group) })));
  const sorted = [...ids].sort();
  expect(await reads.priceSteps(view, ids, fromTime, limit)).toEqual(
    sorted.flatMap((id) => steps.filter(({ token }) => token === id).slice(0, limit)),
  );
  const all = naive.visible(view).flatMap((group) => group.prices.map((price) => ({ ...price, ...place(group) })));
  const { rows, since, most } = await reads.newestPrices(view, ids);
  expect(rows.filter(({ token }) => !ids.includes(token))).toEqual([]);
  for (const id of ids) {
    const own = all.filter(({ token, seq }) => token === id && seq > since);
    expect(rows.filter(({ token }) => token === id)).toEqual(own.slice(-most));
  }
  const trades = blocks
    .filter((block) => block.time >= fromTime)
    .flatMap((block) => block.trades.map((trade) => ({ time: block.time, trade })));
  expect(await reads.recentTrades(view, ids, fromTime, limit)).toEqual(
    sorted.flatMap((token) =>
      trades
        .filter(({ trade }) => trade.base === token || trade.quote === token)
        .slice(0, limit)
        .map(({ time, trade }) => ({
          ...{ token, time, wallet: trade.wallet, bought: (trade.side === 'buy') === (trade.base === token) },
          ...naiveVolumes([trade]),
        })),
    ),
  );
  await compareSums(random.pick(ids), fromTime, limit);

  async function compareSums(token: Hex, from: number, limit: number): Promise<void> {
    const own = trades.filter(({ trade }) => trade.base === token || trade.quote === token);
    const [times, wallets] = [own.map(({ time }) => time), own.map(({ trade }) => trade.wallet)];
    const bought = ({ side, base }: TradeFact): boolean => (side === 'buy') === (base === token);
    const last = (of: typeof own): number | null => (of.length === 0 ? null : Math.max(...of.map(({ time }) => time)));
    expect(await reads.recentSums(view, token, from, limit)).toEqual({
      times: [...new Set(times)]
        .sort((a, b) => a - b)
        .slice(0, limit)
        .map((time) => {
          const inside = own.filter((placed) => placed.time === time).map(({ trade }) => trade);
          return {
            time,
            ...naiveVolumes(inside),
            ...{ trades: inside.length, buys: inside.filter(bought).length },
          };
        }),
      wallets: [...new Set(wallets)]
        .sort()
        .slice(0, limit)
        .map((wallet) => {
          const its = own.filter(({ trade }) => trade.wallet === wallet);
          const [buys, sells] = [its.filter(({ trade }) => bought(trade)), its.filter(({ trade }) => !bought(trade))];
          return { wallet, bought: last(buys), sold: last(sells) };
        }),
    });
  }
}

function stateRow({
  group,
  state,
}: {
  group: FactsGroup;
  state: {
    reserve0: bigint;
    reserve1: bigint;
    anchored: boolean;
    setApart: SetApart | null;
    concentrated: { sqrtPriceX96: bigint; tick: number; liquidity: bigint } | null;
  };
}) {
  const { reserve0, reserve1, anchored, setApart, concentrated } = state;
  const shown =
    concentrated === null
      ? null
      : { sqrtPriceX96: concentrated.sqrtPriceX96, tick: concentrated.tick, liquidity: concentrated.liquidity };
  const place = { seq: group.seq, block: group.height, time: group.time };
  return { ...place, reserve0, reserve1, concentrated: shown, anchored, setApart };
}
