import { LogBrokenError } from '#libs/core/errors.js';
import { type FoldRun, runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { checkGraph, type PlainPools, poolsOfBook, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { LivePool } from './live-pool.js';
import { type BookHead, PoolBook } from './pool-book.js';

function forSeeds(count: number, property: (seed: number) => void): void {
  for (const seed of propertySeeds(scaled(count, 3))) {
    try {
      property(seed);
    } catch (error) {
      throw new Error(`seed ${seed} (repeat with TIDEPOOL_TEST_SEED=${seed})`, { cause: error });
    }
  }
}

/** A history, its facts, and what a fold holds after each of them. */
function folded(seed: number): { run: FoldRun; states: PlainPools[]; heads: (BookHead | null)[] } {
  const { groups } = randomHistory(seed, { groups: 180, retractions: 0.1 });
  const states: PlainPools[] = [];
  const heads: (BookHead | null)[] = [];
  const run = runFold(groups, ({ fold }, _group, { kind, height, hash, time }) => {
    states.push(poolsOfFold(fold));
    if (kind === 'epoch') heads.push(null);
    else heads.push(kind === 'finalize' ? heads.at(-1)! : { height, hash, time });
  });
  return { run, states, heads };
}

describe('a book of live pools', () => {
  it('holds after every group what the fold itself holds', () => {
    let deep = 0;
    let removed = 0;
    forSeeds(60, (seed) => {
      const { run, states, heads } = folded(seed);
      deep += run.refolds;
      const book = new PoolBook();
      for (const facts of run.facts) {
        const before = book.graphVersion;
        expect(book.apply(facts)).toBe(true);
        expect(book.apply(facts)).toBe(false);
        expect(poolsOfBook(book)).toEqual(states[facts.seq]);
        expect(book.head).toEqual(heads[facts.seq]);
        checkGraph(book);
        const came = facts.kind === 'block' ? facts.pools.length : 0;
        const went = facts.kind === 'retract' ? facts.removedPools.length : 0;
        removed += went;
        expect(book.graphVersion > before).toBe(came + went > 0);
      }
      const last = run.facts.at(-1)!;
      expect(() => book.apply({ ...last, seq: last.seq + 2 })).toThrow(LogBrokenError);
    });
    expect(deep).toBeGreaterThan(0);
    expect(removed).toBeGreaterThan(0);
  });

  it('holds it too when it began from copies of which some were newer than the mark', () => {
    let returned = 0;
    forSeeds(300, (seed) => {
      const { run, states, heads } = folded(seed + 10_000);
      const random = new SeededRandom(seed);
      const mark = random.int(1, run.facts.length - 2);
      const newest = random.int(mark, Math.min(run.facts.length - 1, mark + random.int(0, 40)));
      const copies = mixedCopies(random, states, mark, newest);
      const book = new PoolBook();
      for (const { seq, record, state } of copies.values()) book.load(record, state, seq);
      book.startAt(mark, heads[mark]!);
      for (const facts of run.facts.slice(mark + 1)) {
        if (facts.kind === 'retract' && facts.seq <= newest) {
          returned += facts.removedPools.filter((id) => (copies.get(id)?.seq ?? -1) > facts.seq).length;
        }
        book.apply(facts);
        if (facts.seq >= newest) expect(poolsOfBook(book)).toEqual(states[facts.seq]);
        checkGraph(book);
      }
      expect(poolsOfBook(book)).toEqual(states.at(-1));
      expect(book.head).toEqual(heads.at(-1));
    });
    // Pools that are taken away and come back before the seq of their copy were among them.
    if (propertySeeds(1)[0] === 1) expect(returned).toBeGreaterThan(0);
  });

  /** What a topic may hold whose publisher was killed between chunks: a random part is of `newest`, tombstones too. */
  function mixedCopies(random: SeededRandom, states: PlainPools[], mark: number, newest: number) {
    const copies = new Map<string, { seq: number } & PlainPools[number]>();
    const later = new Set(states[newest]!.map(({ record }) => record.pool));
    for (const pool of states[mark]!) {
      if (later.has(pool.record.pool) || random.chance(0.5)) copies.set(pool.record.pool, { seq: mark, ...pool });
    }
    for (const pool of states[newest]!) {
      if (random.chance(0.5)) copies.set(pool.record.pool, { seq: newest, ...pool });
    }
    return copies;
  }
});

describe('a pool that the chain contradicts', () => {
  const record = {
    ...{ pool: '01', venue: 'v', token0: '0a', token1: '0b', feePpm: 3000, tickSpacing: 0, created: true },
    kind: 'constant-product' as const,
  };
  const reserves: PoolStateFact = {
    pool: '01',
    reserve0: 5n,
    reserve1: 7n,
    concentrated: null,
    anchored: true,
    setApart: null,
  };
  const price = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 9n, ticks: [] };
  const delta: PoolStateFact = { ...reserves, concentrated: { ...price, ticksComplete: false } };
  const whole: PoolStateFact = { ...reserves, concentrated: { ...price, ticksComplete: true } };

  it('is quotable again with the next reserves, not with the same ones', () => {
    const pool = new LivePool(record, 3);
    pool.set(reserves, 3);
    expect(pool.quotable).toBe(true);
    pool.distrust();
    pool.set(reserves, 3);
    expect(pool).toMatchObject({ quotable: false, distrusted: true });
    pool.set(reserves, 4);
    expect(pool).toMatchObject({ quotable: true, distrusted: false });
  });

  it('with ticks is quotable again with an anchor only', () => {
    const book = new PoolBook();
    book.load({ ...record, kind: 'concentrated' }, whole, 3);
    book.distrust('01');
    book.distrust('02');
    const pool = book.pool('01')!;
    pool.set(delta, 9);
    expect(pool.quotable).toBe(false);
    pool.set(whole, 10);
    expect(pool.quotable).toBe(true);
  });

  it('that is anchored again keeps no earlier tick', () => {
    const pool = new LivePool({ ...record, kind: 'concentrated' }, 3);
    const ticks = (...at: number[]) => at.map((tick) => ({ tick, liquidityGross: 1n, liquidityNet: 1n }));
    pool.set({ ...reserves, concentrated: { ...price, ticks: ticks(5, -5), ticksComplete: false } }, 3);
    expect(pool.ticks.map(({ tick }) => tick)).toEqual([-5, 5]);
    pool.set({ ...reserves, concentrated: { ...price, ticks: ticks(7), ticksComplete: true } }, 4);
    expect(pool.ticks.map(({ tick }) => tick)).toEqual([7]);
  });

  it('that was never anchored is not quotable either way', () => {
    const pool = new LivePool({ ...record, created: false }, 3);
    expect(pool.quotable).toBe(false);
    pool.set({ ...reserves, anchored: false }, 4);
    expect(pool.quotable).toBe(false);
    pool.set(reserves, 5);
    expect(pool.quotable).toBe(true);
  });
});
