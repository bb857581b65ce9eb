import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { FactsReader, plainState } from '#libs/devkit/testing/histories/facts-reader.js';
import {
  applySurvivors,
  factsBytes,
  inputHash,
  refoldSurvivors,
  retractFrom,
  runFold,
} from '#libs/devkit/testing/histories/fold-driver.js';
import { type NaiveBlock, naiveFold } from '#libs/devkit/testing/histories/naive-model.js';
import {
  randomHistory,
  retractionsPastSeal,
  survivingGroups,
  survivors,
} from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { type BlocksGroup, blockProofs } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup, FactsRetract, TradeFact } from '#libs/protocol/facts.js';
import { bucketStart, type Candle, CandleAccumulator, foldedIntervals, mergeCandles, volumesOf } from './candles.js';
import { ChainFold } from './chain-fold.js';
import { foldSpaces, headSpace } from './fold-spaces.js';

/** Runs a property once per seed and names the seed that broke it. */
async function forSeeds(count: number, property: (seed: number) => void | Promise<void>): Promise<void> {
  for (const seed of propertySeeds(scaled(count, 3))) {
    try {
      await property(seed);
    } catch (error) {
      throw new Error(`seed ${seed} (repeat with TIDEPOOL_TEST_SEED=${seed})`, { cause: error });
    }
  }
}

const view = (blocks: { height: number; hash: string; trades: unknown; transfers: unknown }[]) =>
  blocks.map(({ height, hash, trades, transfers }) => ({ height, hash, trades, transfers }));

describe('fold of random histories', () => {
  it('is at every retraction and at the end what the naive model makes of the surviving chain', async () => {
    await forSeeds(200, (seed) => {
      const { groups } = randomHistory(seed, { groups: 160 });
      const reader = new FactsReader();
      const check = (seq: number) => {
        const expected = naiveFold(groups.slice(0, seq + 1));
        expect(plainState(reader.state)).toEqual(plainState(expected.state));
        expect(view(reader.blocks)).toEqual(view(expected.blocks));
      };
      runFold(groups, (_run, group, facts) => {
        reader.read(facts);
        if (group.kind === 'retract' && seed % 4 === 0) check(group.seq);
      });
      check(groups.length - 1);
    });
  });

  it('holds for every anchored pool what the simulated chain really holds', async () => {
    let ranged = 0;
    await forSeeds(60, (seed) => {
      const { groups, world } = randomHistory(seed + 1_000, { groups: 200 });
      const reader = new FactsReader();
      for (const facts of runFold(groups).facts) reader.read(facts);
      for (const [id, pool] of reader.state.pools) {
        const real = world.pools.get(id)!;
        const { reserve0, reserve1, sqrtPriceX96, tick, liquidity } = real;
        if (!pool.anchored) continue;
        if (world.family === 'solana') {
          expect(pool).toMatchObject({ reserve0, reserve1: reserve1 - real.virtual1 });
          if (pool.ticks.size === 0) {
            expect(pool.liquidity).toBe(0n);
            continue;
          }
          ranged++;
          // Without a trade there is no price.
          if (pool.sqrtPriceX96 === 0n) continue;
        }
        const ticks = new Map([...real.ticks].map(([at, t]) => [at, [t.liquidityGross, t.liquidityNet]]));
        expect(pool).toMatchObject({ reserve0, reserve1, sqrtPriceX96, tick, liquidity, ticks });
        expect(sumOfNet(pool.ticks, pool.tick)).toBe(pool.liquidity);
      }
      expect([...reader.state.pools.keys()].sort()).toEqual(
        [...world.pools.values()]
          .filter((pool) => pool.recorded)
          .map((pool) => pool.record.pool)
          .sort(),
      );
    });
    expect(ranged).toBeGreaterThan(0);
  });

  it('words a retraction byte for byte the same whether it is undone, rewound or refolded', async () => {
    let compared = 0;
    let rewound = 0;
    await forSeeds(60, async (seed) => {
      // No seal is applied to this fold's copy of the history, so that every retraction is within its reach.
      const groups = withoutSeals(randomHistory(seed + 2_000, { groups: 140, retractions: 0.12 }).groups);
      const fold = ChainFold.empty();
      // This one seals each block at once and keeps the states of some.
      const sealing = ChainFold.over(await new HeapHome(foldSpaces).open({ cacheEntries: 0 }), { objects: 8 });
      const outcome = async (of: ChainFold, facts: FactsGroup) => ({
        facts: factsBytes(facts),
        state: await of.stateHash(),
        position: of.position,
      });
      for (const group of groups) {
        const hash = inputHash(group);
        if (group.kind !== 'retract') {
          fold.apply(group, hash);
          sealing.apply(group, hash);
          sealing.sealAll();
          if (group.kind === 'block' && group.seq % 7 === 0) await sealing.state.commit();
          continue;
        }
        expect(fold.canRetract(group)).toBe(true);
        const other = refoldSurvivors(groups, group);
        const refolded = await outcome(other, retractFrom(other, fold, group, hash));
        const undone = await outcome(fold, fold.apply(group, hash));
        expect(refolded).toEqual(undone);
        compared++;
        if (sealing.canRetract(group)) {
          expect(await outcome(sealing, sealing.apply(group, hash))).toEqual(undone);
          continue;
        }
        const point = sealing.state.keptStates().find(({ position }) => (position?.seq ?? -1) < group.fromSeq)!;
        await sealing.rewind(point, group);
        applySurvivors(sealing, groups, group);
        expect(await outcome(sealing, sealing.finishRefold(group, hash))).toEqual(undone);
        if (point.position !== null) rewound++;
        sealing.sealAll();
      }
    });
    expect(compared).toBeGreaterThan(10);
    expect(rewound).toBeGreaterThan(3);
  });

  it('gives the same facts whichever objects it holds between two blocks', async () => {
    let dropped = 0;
    await forSeeds(60, async (seed) => {
      const { groups } = randomHistory(seed + 7_000, { groups: 160, retractions: 0.1 });
      const whole = runFold(groups, () => undefined, { objects: Number.POSITIVE_INFINITY });
      const few = runFold(
        groups,
        ({ fold }, group) => {
          if (group.kind !== 'block') return;
          expect(fold.objectsHeld).toBeLessThanOrEqual(8);
          dropped++;
        },
        { objects: 8 },
      );
      expect(few.facts.map(factsBytes)).toEqual(whole.facts.map(factsBytes));
      expect(await few.fold.stateHash()).toBe(await whole.fold.stateHash());
    });
    expect(dropped).toBeGreaterThan(50);
  });

  it('says the proof of each block, and at a retraction that of the block that is the head again', async () => {
    const said = { blocks: 0, retractions: 0 };
    await forSeeds(40, (seed) => {
      const { groups } = randomHistory(seed + 9_000, { groups: 120, retractions: 0.1 });
      runFold(groups, (_run, group, facts) => {
        if (group.kind !== 'block' && group.kind !== 'retract') return;
        const head = group.kind === 'block' ? group : survivors(groups.slice(0, group.seq + 1)).at(-1);
        expect((facts as FactsBlock | FactsRetract).proof).toBe(head?.proof);
        if (head?.proof !== undefined) said[group.kind === 'block' ? 'blocks' : 'retractions']++;
      });
    });
    expect(said.blocks).toBeGreaterThan(0);
    expect(said.retractions).toBeGreaterThan(0);
  });

  it('reads the state of a program that knew of no proofs, and writes the same where there is none', () => {
    const of = { references: [], poolsSetApart: 5 };
    expect(headSpace.decode(Buffer.from([0, 5]))).toEqual({ ...of, proof: null });
    expect(Buffer.from(headSpace.encode({ ...of, proof: null }))).toEqual(Buffer.from([0, 5]));
    for (const proof of blockProofs) {
      const bytes = Buffer.from(headSpace.encode({ ...of, proof }));
      expect(headSpace.decode(bytes)).toEqual({ ...of, proof });
    }
    expect(() => headSpace.decode(Buffer.from([0, 5, 9]))).toThrow('unknown proof');
  });

  it('ends in the same state as the surviving chain alone', async () => {
    await forSeeds(100, async (seed) => {
      const { groups } = randomHistory(seed + 4_000, { groups: 200 });
      const all = runFold(groups);
      const alone = runFold(survivingGroups(groups));
      expect(await all.fold.stateHash()).toBe(await alone.fold.stateHash());
      const tradesOf = (facts: FactsGroup[]) => {
        const reader = new FactsReader();
        for (const group of facts) reader.read(group);
        return view(reader.blocks);
      };
      expect(tradesOf(all.facts)).toEqual(tradesOf(alone.facts));
    });
  });

  it('gives candles that a plain look at the trades gives too, in parts or at once', async () => {
    await forSeeds(30, (seed) => {
      const random = new SeededRandom(seed);
      const { groups } = randomHistory(seed + 5_000, { groups: 160, blockTime: 3_600_000 });
      const { blocks } = naiveFold(groups);
      const trades = blocks.flatMap((block) => block.trades.map((trade) => ({ ...trade, time: block.time })));
      for (const base of new Set(trades.map((trade) => trade.base))) {
        const own = trades.filter((trade) => trade.base === base);
        for (const interval of foldedIntervals) {
          const cut = random.int(0, own.length);
          const seconds = [...partials(own.slice(0, cut), '1s'), ...partials(own.slice(cut), '1s')];
          const merged = mergeCandles(interval, seconds);
          expect(merged).toEqual(naiveCandles(own, interval));
        }
      }
    });
  });

  it('meets everything it is meant to be tried by', () => {
    const met = {
      levels: new Set<number>(),
      offPeg: 0,
      counted: 0,
      uncounted: 0,
      reverted: 0,
      unpriced: 0,
      notTrades: 0,
      unanchored: 0,
      pastSeal: 0,
      deepest: 0,
      removedPools: 0,
      restoredTokens: 0,
      priceLost: 0,
      minedAgain: 0,
      blockAgain: 0,
      absurdDecimals: 0,
    };
    const seeds = propertySeeds(40, 6_000);
    for (const seed of seeds) {
      const { groups, reference } = randomHistory(seed, { groups: 200 });
      met.pastSeal += retractionsPastSeal(groups).length;
      const txs = new Map<string, number>();
      const hashes = new Set<string>();
      const stables = new Set(reference.stables);
      for (const group of groups) {
        if (group.kind === 'retract') {
          const gone = survivors(groups.slice(0, group.seq)).length - survivors(groups.slice(0, group.seq + 1)).length;
          met.deepest = Math.max(met.deepest, gone);
        }
        if (group.kind !== 'block') continue;
        for (const tx of group.txs) txs.set(tx.id, (txs.get(tx.id) ?? 0) + 1);
        if (hashes.has(group.hash)) met.blockAgain++;
        hashes.add(group.hash);
        met.absurdDecimals += group.tokens.filter((token) => token.decimals === null || token.decimals > 36).length;
      }
      met.minedAgain += [...txs.values()].filter((count) => count > 1).length;
      for (const facts of runFold(groups).facts) {
        if (facts.kind === 'retract') {
          met.removedPools += facts.removedPools.length;
          met.restoredTokens += facts.restoredTokens?.length ?? 0;
        }
        if (facts.kind !== 'block') continue;
        for (const price of facts.prices) met.levels.add(price.level);
        met.priceLost += facts.prices.filter((price) => price.spot === null).length;
        met.offPeg += facts.references.filter((ref) => stables.has(ref.token) && ref.usd !== 10n ** 36n).length;
        met.unanchored += facts.poolStates.filter((pool) => !pool.anchored).length;
        for (const trade of facts.trades) {
          if (trade.priceUsd === null) met.unpriced++;
          else if (trade.uncounted === null) met.counted++;
          else if (trade.uncounted === 'reverted') met.reverted++;
          else met.uncounted++;
        }
        const block = groups[facts.seq]!;
        if (block.kind !== 'block') continue;
        met.notTrades += block.events.filter((event) => event.kind === 'swap').length - facts.trades.length;
      }
    }
    expect([...met.levels].sort()).toEqual([2, 3, 4]);
    for (const [what, count] of Object.entries(met))
      if (typeof count === 'number') expect([what, count > 0]).toEqual([what, true]);
    expect(met.deepest).toBeGreaterThan(40);
  });
});

function sumOfNet(ticks: Map<number, [bigint, bigint]>, tick: number): bigint {
  let sum = 0n;
  for (const [at, [, net]] of ticks) if (at <= tick) sum += net;
  return sum;
}

/** The same history without its seals; the seqs are numbered again. */
function withoutSeals(groups: readonly BlocksGroup[]): BlocksGroup[] {
  const seqs = new Map<number, number>();
  const kept: BlocksGroup[] = [];
  for (const group of groups) {
    if (group.kind === 'finalize') continue;
    seqs.set(group.seq, kept.length);
    const seq = kept.length;
    kept.push(group.kind === 'retract' ? { ...group, seq, fromSeq: seqs.get(group.fromSeq)! } : { ...group, seq });
  }
  return kept;
}

type TimedTrade = TradeFact & Pick<NaiveBlock, 'time'>;

function partials(trades: TimedTrade[], interval: '1s'): Candle[] {
  const open = new Map<number, CandleAccumulator>();
  for (const trade of trades) {
    const time = bucketStart(interval, trade.time);
    if (!open.has(time)) open.set(time, new CandleAccumulator(time));
    open.get(time)!.add({ ...trade, ...volumesOf(trade), counted: trade.uncounted === null });
  }
  return [...open.values()].map((accumulator) => accumulator.candle());
}

function naiveCandles(trades: TimedTrade[], interval: (typeof foldedIntervals)[number]): Candle[] {
  const buckets = [...new Set(trades.map((trade) => bucketStart(interval, trade.time)))].sort((a, b) => a - b);
  return buckets.map((time) => {
    const inside = trades.filter((trade) => bucketStart(interval, trade.time) === time);
    const stay = inside.filter((trade) => trade.uncounted !== 'reverted');
    const undone = inside.filter((trade) => trade.uncounted === 'reverted');
    const prices = inside.filter((trade) => trade.uncounted === null).map((trade) => trade.priceUsd!);
    const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const sum = (values: (bigint | null)[]) => values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n);
    return {
      time,
      open: prices[0] ?? null,
      high: sorted[sorted.length - 1] ?? null,
      low: sorted[0] ?? null,
      close: prices[prices.length - 1] ?? null,
      volumeUsd: sum(stay.map((trade) => trade.volumeUsd)),
      volumeCoin: sum(stay.map((trade) => trade.volumeCoin)),
      loopVolumeUsd: sum(undone.map((trade) => trade.volumeUsd)),
      trades: inside.length,
      buys: inside.filter((trade) => trade.side === 'buy').length,
      sells: inside.filter((trade) => trade.side === 'sell').length,
    };
  });
}
