import type { Hex } from '#libs/core/ids.js';
import { ONE_E18, ONE_E36 } from '#libs/core/money.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { PoolRow } from '#libs/pipeline/store/market/token-reads.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, PoolStateFact } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import { MOST_POOLS, readTokenPools } from './read-token.js';

/** The coin of a chain is in a million pools: what is shown of it is bounded, and so is what is read for it. */
describe('pools of a token in many pools', () => {
  const COIN = 'aa'.repeat(20);
  const idOf = (at: number): Hex => at.toString(16).padStart(40, '0');

  /** Each against another token of no decimals, worth a dollar; pool `at` holds as many dollars of both as its place says. */
  function viewWith(pools: number, tail: readonly Partial<FactsBlock>[] = []) {
    const asked = new Set<Hex>();
    const rows = Array.from({ length: pools }, (_, at): PoolRow => {
      const state = { reserve0: BigInt(at), reserve1: BigInt(at), setApart: null };
      return { pool: idOf(at), token0: COIN, token1: idOf(1_000_000 + at), time: at, created: true, state } as PoolRow;
    });
    const reads: Partial<MarketReads> = {
      poolsOfTokens: async (_view, [token], limit, shown) => {
        const more = pools > limit!;
        return new Map([[token!, { rows: more ? rows.slice(0, shown) : rows, more }]]);
      },
      poolRecords: async (_view, ids) => rows.filter(({ pool }) => ids.includes(pool)),
      poolStates: async (_view, ids) =>
        new Map(rows.flatMap((row) => (ids.includes(row.pool) ? [[row.pool, row.state!]] : []))),
      prices: async () => [],
      references: async () => [COIN, ...rows.map(({ token1 }) => token1)].map((token) => ({ token, usd: ONE_E36 })),
      tokens: async (_view, ids) => {
        for (const id of ids) asked.add(id);
        return ids.map((token) => ({ token, decimals: 0 }) as never);
      },
    };
    const groups = tail.map((facts) => ({
      facts: { ...{ kind: 'block', time: 7, tokens: [], pools: [], poolStates: [], references: [] }, ...facts },
      priceOf: () => undefined,
    }));
    return { asked, view: { groups, tables: {}, reads, chain: { stables: [] } } as unknown as ChainView };
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
    const { view, asked } = viewWith(MOST_POOLS + 10, [
      { pools: [{ pool: 'new', token0: 'bb', token1: COIN } as PoolRecord] },
      { poolStates: [{ pool: idOf(3_000), reserve0: 1n, reserve1: 2n, setApart: null } as PoolStateFact] },
    ]);
    const pools = await readTokenPools(view, COIN, new Set([idOf(3_000), idOf(4_000), 'new', idOf(7), 'none']));
    expect(pools.map(({ pool, liquidityUsd }) => [pool.pool, liquidityUsd && liquidityUsd / ONE_E18])).toEqual([
      ...[
        [idOf(4_000), 8_000n],
        [idOf(7), 14n],
        [idOf(3_000), 3n],
        ['new', null],
      ],
    ]);
    expect(asked.size).toBe(5);
  });

  it('shows those of the tables and of the tail together', async () => {
    const created = Array.from(
      { length: 20 },
      (_, at) => ({ pool: `new ${at}`, token0: COIN, token1: 'bb' }) as PoolRecord,
    );
    const few = viewWith(MOST_POOLS - 20, [{ pools: created }]);
    expect(await readTokenPools(few.view, COIN)).toHaveLength(MOST_POOLS);
    const many = viewWith(MOST_POOLS - 19, [{ pools: created }]);
    expect(await readTokenPools(many.view, COIN)).toHaveLength(200);
  });
});
