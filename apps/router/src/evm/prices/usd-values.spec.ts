import { squareRoot } from '#libs/chain/amm/square-root.js';
import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { Hex } from '#libs/core/ids.js';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { noGuards } from '#libs/pipeline/fold/guards.js';
import { PriceBook } from '#libs/pipeline/fold/price-book.js';
import { TokenTable } from '#libs/pipeline/fold/token-table.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { PoolSpillStore } from '#libs/routing/pools/pool-spill-store.js';
import { UsdValues } from './usd-values.js';

const decimals = new Map<Hex, number>([eth.wrappedNative, ...eth.stables].map((ref) => [ref.token, ref.decimals]));

/** Pools among the coin, the stables and other tokens, some too small to set a price, some not anchored. */
function market(seed: number, book = new PoolBook()): { book: PoolBook; records: PoolRecord[]; tokens: Hex[] } {
  const random = new SeededRandom(seed);
  const others = Array.from({ length: 12 }, () => random.hex(20));
  for (const token of others) decimals.set(token, random.pick([0, 6, 8, 18]));
  const references = [...[eth.wrappedNative, ...eth.stables].map(({ token }) => token)];
  const usd = new Map(references.map((token) => [token, token === eth.wrappedNative.token ? 2_000 : 1]));
  for (const token of others) usd.set(token, random.spread(1e-6, 1e4));
  const records: PoolRecord[] = [];
  const units = (token: Hex, dollars: number) =>
    (BigInt(Math.max(1, Math.round((dollars / usd.get(token)!) * random.spread(0.99, 1.01) * 1e6))) *
      10n ** BigInt(decimals.get(token)!)) /
      1_000_000n +
    1n;
  for (let n = 0; n < 60; n++) {
    const first = random.pick([...references, ...others]);
    const second = random.pick(random.chance(0.6) ? references : others);
    if (first === second) continue;
    const [token0, token1] = first < second ? [first, second] : [second, first];
    const concentrated = random.chance(0.4);
    const pool = random.hex(20);
    const record: PoolRecord = {
      ...{ pool, venue: 'v', kind: concentrated ? 'concentrated' : 'constant-product', token0, token1 },
      ...{ feePpm: 3000, tickSpacing: concentrated ? 60 : 0, created: true },
    };
    const dollars = random.spread(0.5, 1e7);
    const [reserve0, reserve1] = [units(token0, dollars), units(token1, dollars)];
    const tick = Math.round(Math.log(Number(reserve1) / Number(reserve0)) / Math.log(1.0001));
    const state = {
      ...{ pool, reserve0, reserve1, anchored: random.chance(0.9), setApart: null },
      concentrated: concentrated
        ? {
            sqrtPriceX96: sqrtRatioAtTick(tick),
            tick,
            ...ranges(random, tick, squareRoot(reserve0 * reserve1)),
            ticksComplete: true,
          }
        : null,
    };
    book.load(record, state, 0);
    records.push(record);
  }
  book.startAt(0, { height: 1, hash: 'aa', time: 0 });
  return { book, records, tokens: [...references, ...others] };
}

/** All of the liquidity everywhere, around the price, or far below it. */
function ranges(random: SeededRandom, tick: number, liquidity: bigint): { liquidity: bigint; ticks: TickRecord[] } {
  const [from, to] = random.pick([
    [-880_000, 880_000],
    [tick - 5_000, tick + 3_000],
    [tick - 60_000, tick - 30_000],
  ] as const);
  const ticks = [
    { tick: from, liquidityGross: liquidity, liquidityNet: liquidity },
    { tick: to, liquidityGross: liquidity, liquidityNet: -liquidity },
  ];
  return { liquidity: tick < to ? liquidity : 0n, ticks };
}

/** The same pools through the fold; and whether the price depends on what other tokens count as money. */
function foldPrices(book: PoolBook, records: readonly PoolRecord[]) {
  const table = new TokenTable({
    ...{ family: 'evm', genesisHash: '', startHeight: 0, decoderVersion: 1, rules: eth.priceRules },
    ...{ coin: eth.wrappedNative, stables: eth.stables.map(({ token }) => token) },
  });
  for (const [token, digits] of decimals) {
    table.token(token).record = { token, decimals: digits, symbol: null, name: null, totalSupply: null };
  }
  for (const record of records) {
    const [state, live] = [table.addPool(record)!, book.pool(record.pool)!];
    state.setScalars(live);
    for (const tick of live.ticks) state.restoreTick(tick.tick, tick);
  }
  const prices = new PriceBook(table, noGuards);
  for (const pool of table.pools.values()) {
    prices.markPool(pool);
    const { token0, token1, reserve0, reserve1 } = pool;
    if (token0.isReference || token1.isReference) continue;
    prices.addPooled(token0, reserve0);
    prices.addPooled(token1, reserve1);
  }
  prices.evaluate();
  return (token: Hex): { usd: number | null; isDirect: boolean } => {
    const entry = table.token(token);
    const usd = prices.usd(entry);
    const against = [...entry.otherPools].some((pool) => pool.other(entry).level === 2);
    return { usd: usd === null ? null : Number(usd) / 1e36, isDirect: !against };
  };
}

describe('USD values of a quote', () => {
  it('are the market data’s prices at the same block', () => {
    const met = { priced: 0, unpriced: 0 };
    for (const seed of propertySeeds(60)) {
      const { book, records, tokens } = market(seed);
      const values = new UsdValues(eth, () => book);
      const expected = foldPrices(book, records);
      for (const token of tokens) {
        const { usd: price, isDirect } = expected(token);
        const value = values.value(token, 10n ** BigInt(decimals.get(token)!));
        if (!isDirect) {
          // How much of other tokens is in pools quoted in them is not known here.
          if (price !== null) expect(value).not.toBeNull();
        } else if (price === null) {
          expect(value).toBeNull();
          met.unpriced++;
        } else {
          expect(Math.abs(value! - price)).toBeLessThanOrEqual(5.1e-5 + price * 1e-9);
          met.priced++;
        }
      }
    }
    expect(met.priced).toBeGreaterThan(50);
    expect(met.unpriced).toBeGreaterThan(5);
  });

  it('are the same with most of the pools out of memory', () => {
    let shelved = 0;
    const leading = [eth.wrappedNative, ...eth.stables].map(({ token }) => token);
    for (const seed of propertySeeds(60)) {
      const few = new PoolBook({ pools: 0, leading, lastTokens: 0, openShelf: () => PoolSpillStore.inHeap() });
      const { book, tokens } = market(seed);
      market(seed, few);
      const [values, same] = [book, few].map((each) => new UsdValues(eth, () => each));
      for (const token of tokens) {
        few.name(token);
        shelved += few.size - [...few.pools()].length;
        expect({ seed, usd: same!.value(token, 10n ** 18n) }).toEqual({ seed, usd: values!.value(token, 10n ** 18n) });
      }
    }
    expect(shelved).toBeGreaterThan(0);
  });

  it('follow the book, and are null where no pool sets a price', () => {
    const { book, records } = market(3);
    let now = book;
    const values = new UsdValues(eth, () => now);
    const coin = eth.wrappedNative.token;
    const before = values.value(coin, 10n ** 18n)!;
    expect(before).toBeGreaterThan(1_500);
    expect(values.value('12'.repeat(20), 10n ** 18n)).toBeNull();
    const states = records
      .filter(({ token0, token1 }) => token0 === coin || token1 === coin)
      .map(({ pool }) => ({ ...book.pool(pool)!.whole(), anchored: false }));
    expect(states.length).toBeGreaterThan(0);
    book.apply({
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: 1, height: 2, hash: 'bb', parentHash: 'aa', time: 1 },
      ...{ inputHash: '', trades: [], transfers: [], tokens: [], pools: [], prices: [], references: [] },
      poolStates: states,
    });
    expect(values.value(coin, 10n ** 18n)).toBeNull();
    now = new PoolBook();
    expect(values.value(eth.stables[0]!.token, 10n ** BigInt(eth.stables[0]!.decimals))).toBe(1);
  });
});
