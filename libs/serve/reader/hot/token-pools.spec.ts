import type { Hex } from '#libs/core/ids.js';
import type { PoolRow } from '#libs/pipeline/store/market/token-reads.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, PoolStateFact } from '#libs/protocol/facts.js';
import type { TailGroup } from '../tail-buffer.js';
import { TokenPools } from './newest-row.js';

/** What is held follows the tables, or says that only they know what follows. */
describe('the pools of a token that are held', () => {
  const record = (pool: Hex): PoolRecord => ({ pool, token0: 'aa', token1: 'bb' }) as PoolRecord;
  const row = (pool: Hex): PoolRow => ({ ...record(pool), seq: 1, block: 1, time: 1, state: null });
  const state = (pool: Hex, reserve0: bigint): PoolStateFact =>
    ({ pool, reserve0, reserve1: 0n, concentrated: null, anchored: true, setApart: null }) as PoolStateFact;
  const group = (facts: Partial<FactsBlock>): TailGroup =>
    ({ facts: { kind: 'block', seq: 2, height: 2, time: 2, pools: [], poolStates: [], ...facts } }) as never;
  const namesOf = (pools: TokenPools): Hex[] => pools.all().rows.map(({ pool }) => pool);

  it('take on new ones as long as there is room for all', () => {
    const pools = new TokenPools('aa', { rows: [row('p1')], more: false }, 2);
    expect(pools.apply(group({ pools: [record('p2')], poolStates: [state('p2', 5n)] }))).toBe(true);
    expect(namesOf(pools)).toEqual(['p1', 'p2']);
    expect(pools.all().rows[1]!.state).toMatchObject({ seq: 2, reserve0: 5n });
    expect(pools.moreIds()).toEqual(['p1', 'p2']);
    expect(pools.apply(group({ pools: [record('p3')] }))).toBe(false);
  });

  it('stay the first ones of many, with their newest states', () => {
    const pools = new TokenPools('aa', { rows: [row('p1'), row('p2')], more: true }, 9);
    expect(pools.apply(group({ pools: [record('p3')], poolStates: [state('p3', 5n), state('p1', 6n)] }))).toBe(true);
    expect(pools.all()).toMatchObject({ rows: [{ pool: 'p1', state: { reserve0: 6n } }, { pool: 'p2' }], more: true });
    // Named again it is the last of all, and another one is among the first.
    expect(pools.apply(group({ pools: [record('p2')] }))).toBe(false);
  });
});
