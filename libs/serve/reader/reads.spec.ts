import { ONE_E36 } from '#libs/core/money.js';
import { type RandomMarket, randomMarket, seeds, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom, testScale } from '#libs/devkit/testing/seeded-random.js';
import { neverCounted, untilMet } from '#libs/devkit/testing/until-met.js';
import {
  bucketEnd,
  bucketStart,
  type Candle,
  continuousCandles,
  fillCandles,
  foldedIntervals,
  nativeCandle,
} from '#libs/pipeline/fold/candles.js';
import { type Balance, balances } from '#libs/pipeline/projections/balances/projection.js';
import { naiveBalances } from '#libs/pipeline/projections/balances/test/oracle.js';
import { holders } from '#libs/pipeline/projections/holders/projection.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import type { KeyBounds } from '#libs/pipeline/projections/keyed-form.js';
import { DAY_MS, venueVolumes } from '#libs/pipeline/projections/venue-volumes/projection.js';
import { naiveVolumes } from '#libs/pipeline/projections/venue-volumes/test/oracle.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { asOfBlock, type ChainView } from './chain-view.js';
import { readCandles } from './read-candles.js';
import { readKeyed, readRanked } from './read-keyed.js';
import { statsWindows } from './read-stats.js';
import { readToken } from './read-token.js';
import { readTrades } from './read-trades.js';
import { rowsIn } from './rows-in.js';

/**
 * The same answers wherever the rows sit: random histories are read with the checkpoint at random places, so that rows
 * are in the tables, in the tail or split between them, and compared with a naive evaluation of the surviving blocks.
 */
describe('combined reads', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const runs = seeds(30);
  const history = async (seed: number, run: number): Promise<void> => {
    const random = new SeededRandom(seed);
    const family = random.pick(['evm', 'solana'] as const);
    const market = randomMarket(seed, {
      family,
      groups: random.int(20, 160),
      retractions: random.pick([0.02, 0.1, 0.25]),
    });
    const { checkpoints, reads } = await written(store, market, run, random);
    const last = market.facts.length - 1;
    for (let round = 0; round < ROUNDS; round++) {
      const at = random.int(1, last);
      const base = random.pick(checkpoints.filter((checkpoint) => checkpoint.seq <= at));
      const view = takeView(market, base, reads, at);
      if (view === null) continue;
      await compare(random, market, view, new NaiveMarket(market.chain, market.facts, at));
      // The pinned view again, from a reader that has gone on and from a checkpoint above the pin.
      const later = random.int(at, last);
      const laterBase = random.pick(checkpoints.filter((checkpoint) => checkpoint.seq <= later));
      const pinned = takeView(market, laterBase, reads, later, view.pin);
      await compare(random, market, pinned!, new NaiveMarket(market.chain, market.facts, at));
    }
  };
  it.each(runs.map((seed, run) => [seed, run]))('agree with the surviving blocks (seed %i)', history);

  it(`have compared something of every kind (seed ${runs[0]})`, async () => {
    await untilMet(
      () => neverCounted(compared),
      (nth) => history(runs[0]! + runs.length + nth, runs.length + nth),
    );
  });
});

/** Views of each history that are compared. */
const ROUNDS = testScale < 1 ? 5 : 8;
/** A walk back through candles is compared as far as this. */
const MOST_PAGES = 12;

async function compare(random: SeededRandom, market: RandomMarket, whole: ChainView, all: NaiveMarket): Promise<void> {
  let [view, naive] = [whole, all];
  compared.views++;
  expect({ height: view.head.height, hash: view.head.hash }).toEqual({
    height: naive.head.height,
    hash: naive.head.hash,
  });
  if (random.chance(0.3)) {
    const { height } = random.pick(naive.blocks);
    view = await asOfBlock(view, height);
    compared.asOf++;
    naive = new NaiveMarket(market.chain, market.facts, view.pin.seq, height);
    expect(view.head.hash).toBe(naive.head.hash);
  }
  await compareVolumes(random, view, naive);
  await compareBalances(random, view, naive);
  const known = naive.tokens();
  if (known.length === 0) return;
  const { token } = random.pick(known);
  await compareTrades(random, market, view, naive, token);
  await compareCandles(random, view, naive, token);
  if (random.chance(0.4)) await compareToken(view, naive, token);
  // What a stable was worth when there was nothing yet.
  const stable = known.find((record) => view.chain.stables.some((one) => one.token === record.token));
  if (stable !== undefined && random.chance(0.2)) await compareToken(view, naive, stable.token);
}

/** What was compared, so that nothing passes without having been looked at. */
const compared = {
  views: 0,
  asOf: 0,
  trades: 0,
  candles: 0,
  tokens: 0,
  stablesBeforeAll: 0,
  volumes: 0,
  holders: 0,
  holdings: 0,
  pairs: 0,
  pairsOfTheTail: 0,
};

async function compareVolumes(random: SeededRandom, view: ChainView, naive: NaiveMarket): Promise<void> {
  const fromDay = Math.floor(view.head.time / DAY_MS) - random.int(0, 40);
  const expected = naiveVolumes(naive.blocks).filter(({ day }) => day >= fromDay);
  expect(await readKeyed(view, venueVolumes, { day: { from: fromDay } })).toEqual(expected);
  compared.volumes += expected.length;
}

/** Holders of a token page by page, holdings of a wallet, and the counts of some tokens. */
async function compareBalances(random: SeededRandom, view: ChainView, naive: NaiveMarket): Promise<void> {
  const all = naiveBalances(naive.blocks);
  expect(await readKeyed(view, holders, {})).toEqual(naiveHolders(naive.blocks));
  if (all.length === 0) return;
  const { token } = random.pick(all);
  const ranked = all
    .filter((balance) => balance.token === token)
    .sort((a, b) => (a.amount === b.amount ? (a.wallet < b.wallet ? -1 : 1) : a.amount > b.amount ? -1 : 1));
  const [offset, limit] = [random.int(0, ranked.length), random.int(1, 4)];
  const page = { by: 'amount' as const, offset, limit };
  expect(await readRanked(view, balances, { token: { is: token } }, page)).toEqual(
    ranked.slice(offset, offset + limit),
  );
  compared.holders += Math.min(limit, ranked.length - offset);
  const tokens = [...new Set([token, random.pick(all).token, random.pick(all).token])].sort();
  const rowsOf = (bounds: KeyBounds, each?: string) =>
    view.reads.keyedRows(view.tables, balances.keyed, bounds, { by: 'amount', limit, each });
  const apart = await Promise.all(tokens.map((one) => rowsOf({ token: { is: one } })));
  expect(await rowsOf({ token: { in: tokens } }, 'token')).toEqual(apart.flat());
  const { wallet } = random.pick(all);
  const held = all.filter((balance) => balance.wallet === wallet);
  expect(await readKeyed(view, balances, { wallet: { is: wallet } })).toEqual(held);
  compared.holdings += held.length;
  const some = [...new Set([random.pick(all).token, random.pick(all).token])];
  expect(await readKeyed(view, balances, { token: { in: some } })).toEqual(
    all.filter((balance) => some.includes(balance.token)),
  );
  await comparePairs(random, view, all);
}

/** Single keys: those whose newest row is in the tail are known without the tables. */
async function comparePairs(random: SeededRandom, view: ChainView, all: readonly Balance[]): Promise<void> {
  const pairs = [random.pick(all), random.pick(all)];
  const inTail = view.groups.flatMap(({ facts }) => rowsIn(balances, facts) as unknown as Balance[]);
  if (inTail.length > 0) pairs.push(random.pick(inTail));
  for (const { token, wallet } of pairs) {
    const known = inTail.some((row) => row.token === token && row.wallet === wallet);
    let asked = 0;
    const reads = Object.assign(Object.create(view.reads) as ChainView['reads'], {
      keyedRows: (...given: Parameters<ChainView['reads']['keyedRows']>) => {
        asked++;
        return view.reads.keyedRows(...given);
      },
    });
    const bounds = { token: { is: token }, wallet: { in: [wallet] } };
    expect(await readKeyed({ ...view, reads }, balances, bounds)).toEqual(
      all.filter((balance) => balance.token === token && balance.wallet === wallet),
    );
    expect(asked).toBe(known ? 0 : 1);
    compared.pairs++;
    if (known) compared.pairsOfTheTail++;
  }
}

async function compareTrades(
  random: SeededRandom,
  market: RandomMarket,
  view: ChainView,
  naive: NaiveMarket,
  token: string,
): Promise<void> {
  const every = naive.trades(token);
  const block = (): FactsBlock => random.pick(naive.blocks);
  const maybe = <T>(value: () => T | undefined): T | undefined => (random.chance(0.3) ? value() : undefined);
  const filter = {
    token,
    pool: maybe(() => (every.length === 0 ? undefined : random.pick(every).pool)),
    wallet: maybe(() => (every.length === 0 ? undefined : random.pick(every).wallet)),
    side: maybe(() => random.pick(['buy', 'sell'] as const)),
    minUsd: maybe(() => (every.length === 0 ? 0n : (random.pick(every).volumeUsd ?? 1n))),
    fromTime: maybe(() => block().time + random.int(-1, 1)),
    toTime: maybe(() => block().time + random.int(-1, 1)),
    before: maybe(() => ({ block: block().height, ordinal: random.int(0, 5) })),
    limit: random.pick([1, 2, 5, 50]),
  };
  const matching = every.filter(
    (trade) =>
      (filter.pool === undefined || trade.pool === filter.pool) &&
      (filter.wallet === undefined || trade.wallet === filter.wallet) &&
      (filter.side === undefined || (filter.side === trade.side) === (trade.base === token)) &&
      (filter.minUsd === undefined || (trade.volumeUsd !== null && trade.volumeUsd >= filter.minUsd)) &&
      (filter.fromTime === undefined || trade.time >= filter.fromTime) &&
      (filter.toTime === undefined || trade.time < filter.toTime) &&
      (filter.before === undefined ||
        trade.block < filter.before.block ||
        (trade.block === filter.before.block && trade.ordinal < filter.before.ordinal)),
  );
  let size = Math.min(filter.limit, matching.length);
  if (market.chain.family === 'solana') {
    while (size < matching.length && matching[size]!.tx === matching[size - 1]!.tx) size++;
  }
  const page = await readTrades(view, filter);
  const trades = page.trades.map((trade) => ({ ...trade, seq: undefined }));
  expect({ trades, more: page.more }).toEqual({
    trades: matching.slice(0, size).map((trade) => ({ ...trade, seq: undefined })),
    more: matching.length > size,
  });
  compared.trades += trades.length;
}

async function compareCandles(random: SeededRandom, view: ChainView, naive: NaiveMarket, token: string): Promise<void> {
  const interval = random.pick(foldedIntervals);
  const trades = naive.trades(token);
  const pool = random.chance(0.3) && trades.length > 0 ? random.pick(trades).pool : undefined;
  const time = () => random.pick(naive.blocks).time + random.int(-1, 1);
  const query = {
    token,
    pool,
    interval,
    fromTime: random.chance(0.3) ? time() : undefined,
    toTime: random.chance(0.3) ? time() : undefined,
    limit: random.pick([1, 3, 300]),
    currency: random.pick(['usd', 'native'] as const),
    fill: random.chance(0.3),
    continuous: random.chance(0.3),
  };
  const every = naive.candles(token, interval, pool);
  let to = query.toTime;
  // Walk all pages back to the beginning, and compare the whole walk.
  const walked: Candle[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await readCandles(view, { ...query, toTime: to });
    expect(page.candles.length).toBeLessThanOrEqual(query.limit);
    walked.unshift(...page.candles);
    if (page.nextTo === null) break;
    to = page.nextTo;
  }
  const end = bucketEnd(interval, [...every].pop()?.time ?? 0);
  let expected = every.filter(({ time: start }) => start < (query.toTime ?? end));
  const close = (before: number) =>
    every.findLast((candle) => candle.time < before && candle.close !== null)?.close ?? null;
  if (query.fill) {
    const headEnd = bucketEnd(interval, bucketStart(interval, naive.head.time));
    const first = walked[0]?.time ?? headEnd;
    const range = {
      interval,
      from: first,
      to: Math.min(headEnd, query.toTime ?? headEnd),
      previousClose: close(first),
    };
    expected = fillCandles(expected, range);
    // As far as the walk went back, which is `from` or MOST_PAGES pages.
    expected = expected.filter(({ time: start }) => start >= Math.max(first, query.fromTime ?? 0));
  } else {
    expected = expected.filter(({ time: start }) => start >= (query.fromTime ?? 0));
    expect(walked.length).toBe(Math.min(expected.length, MOST_PAGES * query.limit));
    expected = expected.slice(expected.length - walked.length);
  }
  if (query.continuous && expected.length > 0) expected = continuousCandles(expected, close(expected[0]!.time));
  if (query.currency === 'native') {
    const coin = naive.chain.wrappedNative.token;
    expected = expected.map((candle) => nativeCandle(candle, naive.reference(coin, bucketEnd(interval, candle.time))));
  }
  expect({ query, walked }).toEqual({ query, walked: expected });
  compared.candles += walked.length;
}

async function compareToken(view: ChainView, naive: NaiveMarket, token: string): Promise<void> {
  compared.tokens++;
  const stables = new Set(view.chain.stables.map((stable) => stable.token));
  const state = (await readToken(view, token))!;
  expect(state.record).toMatchObject(naive.tokens().find((record) => record.token === token)!);
  expect(state.priceUsd).toBe(naive.price(token));
  const pools = naive.poolsOf(token);
  expect(state.pools.map(({ pool }) => pool.pool).sort()).toEqual([...pools.keys()].sort());
  for (const pool of state.pools) expect(pool.pool).toMatchObject(pools.get(pool.pool.pool)!.pool);
  for (const [name, length] of Object.entries(statsWindows)) {
    const { volumeCoin: _unused, ...window } = { volumeCoin: 0n, ...state.stats[name as keyof typeof statsWindows] };
    const expected = naive.window(token, length);
    const nothingBefore = naive.blocks.every(({ time }) => time > naive.head.time - length);
    if (nothingBefore && stables.has(token)) {
      expect(window.priceBefore).toBe(ONE_E36);
      compared.stablesBeforeAll++;
    }
    expect({ name, ...window }).toEqual({ name, ...expected });
  }
}
