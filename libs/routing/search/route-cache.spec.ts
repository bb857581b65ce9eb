import { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { RouteAnswer, RouteRequest } from './route.js';
import { RouteCache } from './route-cache.js';
import { RouteFinder } from './route-finder.js';

const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
const POOL = '1'.repeat(40);
const record = {
  ...{ pool: POOL, venue: 'uniswap-v2', kind: 'constant-product' as const, token0: a, token1: b },
  ...{ feePpm: 3000, tickSpacing: 0, created: true },
};
const state = (reserve1: bigint) => ({
  ...{ pool: POOL, reserve0: 10n ** 20n, reserve1, concentrated: null, anchored: true, setApart: null },
});
const group = (seq: number, reserve1: bigint) => ({
  ...{ kind: 'block' as const, chain: 'eth', epoch: 1, seq, height: seq, hash: `${seq}`, parentHash: '', time: 0 },
  ...{ inputHash: '', trades: [], transfers: [], tokens: [], pools: [], prices: [], references: [] },
  poolStates: [state(reserve1)],
});

describe('remembered routes', () => {
  let book: PoolBook;
  let searches: RouteRequest[];
  let routes: RouteCache;
  const asked: RouteRequest = {
    tokenIn: a,
    tokenOut: b,
    amountIn: 1_000n,
    maxHops: 2,
    venues: new Set(['uniswap-v2']),
  };
  const out = (answer: RouteAnswer) => (answer.kind === 'route' ? answer.route.amountOut : answer.kind);

  beforeEach(() => {
    book = new PoolBook();
    book.load(record, state(10n ** 20n), 0);
    book.startAt(0, { height: 0, hash: '00', time: 0 });
    searches = [];
    const finder = new RouteFinder(book);
    routes = new RouteCache(book, {
      find: (request) => {
        searches.push(request);
        return finder.find(request);
      },
    });
  });

  it('searches once for the same question at the same book', () => {
    expect(routes.find({ ...asked })).toBe(routes.find({ ...asked, venues: new Set(['uniswap-v2']) }));
    expect(searches).toHaveLength(1);
  });

  it.each([
    ['amount', { amountIn: 1_001n }],
    ['hops', { maxHops: 1 as const }],
    ['direction', { tokenIn: b, tokenOut: a }],
    ['venues', { venues: new Set(['uniswap-v3']) }],
  ])('tells questions of another %s apart', (_, change) => {
    routes.find(asked);
    routes.find({ ...asked, ...change });
    expect(searches).toHaveLength(2);
  });

  it('forgets with every change of the book', () => {
    const before = out(routes.find(asked));
    book.apply(group(1, 2n * 10n ** 20n) as never);
    const after = out(routes.find(asked));
    expect(after).toBeGreaterThan(before as bigint);
    book.distrust(POOL);
    expect(out(routes.find(asked))).toBe('none');
  });
});
