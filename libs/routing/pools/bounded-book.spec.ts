import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { type PlainPools, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { type BookMemory, PoolBook } from './pool-book.js';
import { PoolSpillStore } from './pool-spill-store.js';

const folder = mkdtempSync(join(tmpdir(), 'tidepool-shelf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const memory = (pools: number, openShelf: () => PoolSpillStore): BookMemory => ({ pools, leading: [], openShelf });

/** Everything that a book knows of its pools, whether in memory or not. */
const allOf = (book: PoolBook, ids: Iterable<string>): PlainPools =>
  [...ids].flatMap((id) => {
    const pool = book.pool(id);
    return pool === null ? [] : [{ record: pool.record, state: pool.whole() }];
  });

describe('a book with a bound of memory', () => {
  const shelves: [string, () => PoolSpillStore, number][] = [
    ['memory', () => PoolSpillStore.inHeap(), 40],
    ['disk', () => PoolSpillStore.open(folder, { mostPending: 1 }), 6],
  ];
  it.each(shelves)('holds what the fold holds, with its shelf in %s', async (_name, openShelf, count) => {
    let shelved = 0;
    let removed = 0;
    let throughLeading = 0;
    for (const seed of propertySeeds(scaled(count, 2))) {
      const random = new SeededRandom(seed);
      const states: PlainPools[] = [];
      const { groups } = randomHistory(seed, { groups: 180, retractions: 0.1 });
      const run = runFold(groups, ({ fold }) => states.push(poolsOfFold(fold)));
      const everyPool = new Set(states.flatMap((pools) => pools.map(({ record }) => record.pool)));
      const book = new PoolBook({ ...memory(random.int(0, 3), openShelf), lastTokens: 0 });
      const whole = new PoolBook();
      /** Tokens that routes led through at some time: a book keeps treating them so, also when a retraction took their pools. */
      const led = new Set<string>();
      for (const facts of run.facts) {
        book.apply(facts);
        whole.apply(facts);
        if (facts.kind === 'retract') removed += facts.removedPools.filter((id) => book.pool(id) === null).length;
        shelved += book.size - [...book.pools()].length;
        const expected = states[facts.seq]!;
        for (const { record } of expected) {
          for (const token of [record.token0, record.token1]) if (leads(expected, token)) led.add(token);
        }
        expect({ seed, size: book.size }).toEqual({ seed, size: expected.length });
        if (random.chance(0.2)) {
          for (const { record } of expected) {
            const { pool, token0, token1 } = record;
            const ids = (from: PoolBook) => [...from.poolsOf(token0)].map(({ id }) => id).sort();
            const own = ids(book);
            expect(ids(whole)).toEqual(expect.arrayContaining(own));
            if (led.has(token0)) throughLeading++;
            else expect({ seed, own }).toEqual({ seed, own: ids(whole) });
            // A caller that names both of its tokens finds the pool, whatever leads through them.
            book.poolsOf(token1);
            expect({ seed, found: ids(book) }).toEqual({ seed, found: expect.arrayContaining([pool]) });
          }
          expect({ seed, pools: allOf(book, [...everyPool].sort()) }).toEqual({ seed, pools: expected });
        }
        if (random.chance(0.1)) await book.settle();
      }
      await book.close();
    }
    expect(shelved).toBeGreaterThan(0);
    expect(removed).toBeGreaterThan(0);
    expect(throughLeading).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  const leads = (pools: PlainPools, token: string): boolean => {
    const others = pools.flatMap(({ record: { token0, token1 } }) =>
      token0 === token ? [token1] : token1 === token ? [token0] : [],
    );
    return new Set(others).size > 1;
  };

  const record = (pool: string, token0: string, token1: string) => ({
    ...{ pool, venue: 'v', token0, token1, feePpm: 3000, tickSpacing: 0, created: true },
    kind: 'constant-product' as const,
  });
  const state = (pool: string): PoolStateFact => ({
    ...{ pool, reserve0: 5n, reserve1: 7n, concentrated: null, anchored: true, setApart: null },
  });

  /** A hub whose other tokens have one pool each. */
  function star(pools: number, memoryPools: number): PoolBook {
    const book = new PoolBook(memory(memoryPools, () => PoolSpillStore.inHeap()));
    for (let n = 10; n < 10 + pools; n++) book.load(record(`${n}`, 'aa', `t${n}`), state(`${n}`), 1);
    return book;
  }

  it('remembers on its shelf what the chain contradicted', () => {
    const book = star(30, 5);
    book.distrust('10');
    for (let n = 20; n < 40; n++) book.name(`t${n}`);
    expect([...book.pools()].map(({ id }) => id)).not.toContain('10');
    expect(book.pool('10')).toMatchObject({ distrusted: true, quotable: false });
  });

  it('keeps the pools of tokens that set prices', () => {
    const book = new PoolBook({ ...memory(0, () => PoolSpillStore.inHeap()), leading: ['usd', 'aa'] });
    book.load(record('01', 'aa', 'usd'), state('01'), 1);
    for (let n = 10; n < 40; n++) book.load(record(`${n}`, 'aa', `t${n}`), state(`${n}`), 1);
    expect([...book.pools()].map(({ id }) => id)).toContain('01');
    expect([...book.poolsOf('usd')].map(({ id }) => id)).toEqual(['01']);
  });

  it('finds what is in memory when its shelf is closed', async () => {
    const book = star(30, 5);
    book.name('t12');
    await book.close();
    expect(book.pool('12')).not.toBeNull();
    expect(book.pool('13')).toBeNull();
    book.name('t13');
    expect([...book.poolsOf('t13')]).toEqual([]);
  });
});
