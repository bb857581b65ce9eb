import { randomMarket, seeds, servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom, testScale } from '#libs/devkit/testing/seeded-random.js';
import { neverCounted, untilMet } from '#libs/devkit/testing/until-met.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { ChainView } from './chain-view.js';
import { MarketStates } from './market-state.js';
import { readMarket } from './read-market.js';
import { readToken, type TokenState } from './read-token.js';

/**
 * Invariant 4: a token in a list shows what it shows on its own, at the same view. Random histories with retractions, the
 * checkpoint at random places, views ahead of and behind what is kept from one read to the next.
 */
describe('the market as a whole', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const runs = seeds(20);
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
    // Brought forward at every read, or hardly ever; read from the start in many pieces, or in one.
    const states = new MarketStates(random.pick([0, 5_000, 600_000]), random.pick([1, 20, 1_000_000]));
    let position = 0;
    let base = checkpoints[0]!;
    for (let round = 0; round < ROUNDS; round++) {
      // Mostly forward, as a reader goes; sometimes a pinned view of earlier.
      position = random.chance(0.8) ? random.int(position, last) : random.int(0, last);
      // The same tables for several views, as between two writes of the sink, or those of a moment later.
      if (base.seq > position || random.chance(0.5)) {
        base = random.pick(checkpoints.filter((checkpoint) => checkpoint.seq <= position));
      } else compared.sameTables++;
      const view = takeView(market, base, reads, position);
      if (view === null) continue;
      await compare(random, view, new NaiveMarket(market.chain, market.facts, position), states);
      const laterBase = random.pick(checkpoints.filter((checkpoint) => checkpoint.seq <= last));
      if (round === ROUNDS - 1 || random.chance(0.3)) {
        const pinned = takeView(market, laterBase, reads, last, view.pin)!;
        compared.pinned++;
        await compare(random, pinned, new NaiveMarket(market.chain, market.facts, position), states);
      }
    }
  };
  it.each(runs.map((seed, run) => [seed, run]))('shows every token as readToken does (seed %i)', history);

  const walked = seeds(10);
  it.each(walked)('shows the same block by block, as the tables stand still and follow (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const family = random.pick(['evm', 'solana'] as const);
    // Windows begin among the blocks that the tables have.
    const market = servedMarket(seed, { family, groups: 120, retractions: 0.05, blockTime: 40_000 });
    const { checkpoints, reads } = await written(store, market, 20_000 + walked.indexOf(seed), random);
    const states = new MarketStates(86_400_000);
    const last = market.facts.length - 1;
    let from = checkpoints[0]!;
    for (let position = last - WALKED; position <= last; position++) {
      const next = checkpoints.findLast(({ seq }) => seq <= position - LAG);
      if (next !== undefined && random.chance(0.3)) from = next;
      const view = takeView(market, from, reads, position);
      if (view === null) continue;
      const naive = new NaiveMarket(market.chain, market.facts, position);
      await compare(random, view, naive, states, naive.blocks[0]!.time);
    }
  });

  const broken = seeds(10);
  it.each(broken)('is read in pieces, each once, however often the tables fail (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const market = servedMarket(seed, {
      family: random.pick(['evm', 'solana'] as const),
      groups: 80,
      retractions: 0.05,
    });
    const { checkpoints, reads } = await written(store, market, 10_000 + broken.indexOf(seed), random);
    const last = market.facts.length - 1;
    const own = takeView(market, checkpoints.at(-1)!, reads, last)!;
    const sealedTime = random.pick(new NaiveMarket(market.chain, market.facts, last).blocks).time;
    const view = { ...own, tables: { ...own.tables, sealedTime } };
    const whole = await new MarketStates(0, 1_000_000).read(view);

    const read: string[] = [];
    let failures = 0;
    const failing = new Proxy(reads, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (!String(name).startsWith('all')) return value.apply(target, args);
          // Up to twenty reads have to succeed in one attempt.
          if (failures === 0 || random.chance(0.15)) {
            failures++;
            throw new Error('the tables do not answer');
          }
          const rows = await value.apply(target, args);
          // With a range of keys, its last argument, it is a piece of the read from the start.
          if (args[name === 'allKeyed' ? 3 : 2] !== undefined)
            read.push(`${String(name)} ${JSON.stringify(args.slice(1))}`);
          return rows;
        };
      },
    });
    const states = new MarketStates(0, 40);
    let state: Awaited<ReturnType<MarketStates['read']>> | null = null;
    for (let attempt = 0; state === null; attempt++) {
      state = await states.read({ ...view, reads: failing }).catch(() => null);
      expect(attempt).toBeLessThan(2_000);
    }
    expect(failures).toBeGreaterThan(0);
    expect({ seed, twice: read.filter((piece, index) => read.indexOf(piece) !== index) }).toEqual({ seed, twice: [] });
    expect(read.length).toBeGreaterThan(10);
    const rows = ({ tokens, pools, amounts, spots, spotsBefore, rows: keyed }: typeof whole) =>
      [tokens, pools, amounts, spots, ...spotsBefore, ...keyed].map((map) =>
        [...map.entries()].sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    expect(rows(state)).toEqual(rows(whole));
  });

  it(`was compared, forward and at earlier views (seed ${runs[0]})`, async () => {
    await untilMet(
      () => neverCounted(compared),
      (nth) => history(runs[0]! + runs.length + nth, runs.length + nth),
    );
  });
});

/** Views of each history that are compared. */
const ROUNDS = testScale < 1 ? 3 : 5;
/** Groups of a walk, and those that the tables are behind at least. */
const WALKED = 40;
const LAG = 2;
const SHARE = Math.min(1, 0.15 + testScale);

/** What was compared, so that nothing passes without having been looked at. */
const compared = { views: 0, sameTables: 0, pinned: 0, tokens: 0, pools: 0 };

async function compare(
  random: SeededRandom,
  own: ChainView,
  naive: NaiveMarket,
  states: MarketStates,
  // Nothing compared here reads seals: any block may serve as the sealed one, also one that is retracted later.
  sealedTime = random.chance(0.8) ? random.pick(naive.blocks).time : own.tables.sealedTime,
): Promise<void> {
  const view = { ...own, tables: { ...own.tables, sealedTime } };
  const { tokens, pool: poolAt } = await readMarket(view, states);
  expect([...tokens.keys()].sort()).toEqual(
    naive
      .tokens()
      .map(({ token }) => token)
      .sort(),
  );
  compared.views++;
  const named = new Set<string>();
  for (const [token, listed] of tokens) {
    // Each costs a dozen reads: at the full count all of them, else some of every view.
    if (!random.chance(SHARE)) continue;
    compared.tokens++;
    const own = (await readToken(view, token))!;
    for (const { pool } of own.pools) named.add(pool.pool);
    expect({ token, ...pick(listed) }).toEqual({ token, ...pick(own) });
  }
  compared.pools += named.size;
  for (const pool of named) expect(poolAt(pool)).toBeDefined();
}

/** What a list shows of a token; of its record only what is the record's own. */
function pick({
  record,
  supply,
  priceUsd,
  liquidityUsd,
  stats,
}: Pick<TokenState, 'record' | 'supply' | 'priceUsd' | 'liquidityUsd' | 'stats'>) {
  const { token, decimals, symbol, name, totalSupply } = record;
  return { record: { token, decimals, symbol, name, totalSupply }, supply, priceUsd, liquidityUsd, stats };
}
