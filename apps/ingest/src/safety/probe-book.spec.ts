import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { ProbeBook, pauseAfter } from './probe-book.js';

const eth = chainSpec('eth')!;
const COIN = eth.wrappedNative.token;
const id = (n: number): Hex => n.toString(16).padStart(40, '1');
const pool = (n: number, token: Hex, more: Partial<PoolRecord> = {}): PoolRecord => ({
  ...{ pool: id(1_000 + n), venue: 'uniswap-v2', kind: 'constant-product', token0: token, token1: COIN },
  ...{ feePpm: 3_000, tickSpacing: 0, created: true, ...more },
});
const coins = (n: number): [bigint, bigint] => [10n ** 20n, BigInt(n) * 10n ** 18n];
const taken = (book: ProbeBook, now: number, count: number): (Hex | null)[] =>
  Array.from({ length: count }, () => book.take(now)).filter((token) => token !== COIN);

describe('the order in which tokens are looked at', () => {
  it('is the deepest first, but new and asked ones before', () => {
    const book = new ProbeBook(eth);
    book.learn(pool(1, id(1)), coins(5));
    book.learn(pool(2, id(2)), coins(50));
    book.learn(pool(3, id(3)), coins(1));
    expect(taken(book, 0, 2)).toEqual([id(2)]);
    book.learn(pool(4, id(4)), null);
    book.ask(id(3));
    expect(new Set(taken(book, 0, 2))).toEqual(new Set([id(4), id(3)]));
    expect(taken(book, 0, 2)).toEqual([id(1), null]);
  });

  it('gives each its turn again, later each time', () => {
    const book = new ProbeBook(eth);
    book.learn(pool(1, id(1)), coins(5));
    expect(book.take(0)).not.toBeNull();
    for (const token of [id(1), COIN]) book.found(token, 0);
    const first = pauseAfter(1);
    expect(taken(book, first - 1, 2)).toEqual([null, null]);
    expect(taken(book, first, 2)).toEqual([id(1)]);
    book.found(id(1), first);
    expect(book.looksAt(id(1))).toBe(2);
    expect(taken(book, 2 * first, 1)).toEqual([null]);
    expect(pauseAfter(40)).toBe(24 * 3_600_000);
  });

  it('names the deepest pools, what holds their tokens and whom sellers approve', () => {
    const book = new ProbeBook(eth);
    for (let n = 1; n <= 5; n++) book.learn(pool(n, id(1)), coins(n));
    const router = eth.venues.find(({ venue }) => venue === 'uniswap-v2')!.contracts!.router;
    expect(book.poolsOf(id(1)).map((one) => [one.pool, one.holder, one.spender])).toEqual(
      [5, 4, 3].map((n) => [id(1_000 + n), id(1_000 + n), router]),
    );
    const v4 = eth.venues.find(({ venue }) => venue === 'uniswap-v4')!;
    book.learn(pool(6, id(2), { pool: 'ab'.repeat(32), venue: 'uniswap-v4', kind: 'shared' }), coins(9));
    expect(book.poolsOf(id(2))[0]!.holder).toBe(v4.factory);
  });

  it('forgets the shallowest above its bound', () => {
    const book = new ProbeBook(eth, 10);
    for (let n = 1; n <= 40; n++) book.learn(pool(n, id(n)), coins(n));
    expect(book.size).toBeLessThanOrEqual(12);
    expect(book.poolsOf(id(40))).toHaveLength(1);
    expect(book.poolsOf(id(1))).toHaveLength(0);
  });
});
