import type { Hex } from '#libs/core/ids.js';
import { ONE_E36 } from '#libs/core/money.js';
import type { MarketReads } from '#libs/store/market/reads.js';
import type { PoolRow } from '#libs/store/market/token-reads.js';
import type { ChainView } from './chain-view.js';
import { MOST_POOLS, readTokenPools } from './read-token.js';

/** The coin of a chain is in a million pools: what is shown of it is bounded, and so is what is read for it. */
describe('pools of a token in many pools', () => {
  const COIN = 'aa'.repeat(20);
  const idOf = (at: number): Hex => at.toString(16).padStart(40, '0');

  /** Each against another token of no decimals, worth a dollar; pool `at` holds as many dollars of both as its place says. */
  function viewWith(pools: number) {
    const asked = new Set<Hex>();
    const rows = Array.from({ length: pools }, (_, at): PoolRow => {
      const state = { reserve0: BigInt(at), reserve1: BigInt(at), setApart: null };
      return { pool: idOf(at), token0: COIN, token1: idOf(1_000_000 + at), time: at, created: true, state } as PoolRow;
    });
    const reads: Partial<MarketReads> = {
      poolsOfTokens: async (_view, [token], limit) => new Map([[token!, rows.slice(0, limit)]]),
      prices: async () => [],
      references: async () => [COIN, ...rows.map(({ token1 }) => token1)].map((token) => ({ token, usd: ONE_E36 })),
      tokens: async (_view, ids) => {
        for (const id of ids) asked.add(id);
        return ids.map((token) => ({ token, decimals: 0 }) as never);
      },
    };
    return { asked, view: { groups: [], tables: {}, reads, chain: { stables: [] } } as unknown as ChainView };
  }

  it('are all of them up to a number, the deepest first', async () => {
    const { view, asked } = viewWith(MOST_POOLS);
    const pools = await readTokenPools(view, COIN);
    expect(pools.map(({ pool }) => pool.pool)).toEqual(
      Array.from({ length: MOST_POOLS }, (_, at) => idOf(at)).reverse(),
    );
    expect(asked.size).toBe(MOST_POOLS + 1);
  });

  it('are the first 200 of more, and of no other pool anything is read', async () => {
    const { view, asked } = viewWith(MOST_POOLS + 10);
    const pools = await readTokenPools(view, COIN);
    const first = Array.from({ length: 200 }, (_, at) => idOf(at));
    expect(pools.map(({ pool }) => pool.pool)).toEqual(first.reverse());
    expect(asked.size).toBe(201);
  });

  it('are those that are named, wherever they are among them', async () => {
    const { view, asked } = viewWith(MOST_POOLS + 10);
    const pools = await readTokenPools(view, COIN, new Set([idOf(3_000), idOf(7)]));
    expect(pools.map(({ pool }) => pool.pool)).toEqual([idOf(3_000), idOf(7)]);
    expect(asked.size).toBe(3);
  });
});
