import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { PRICE_LIMIT_E36, VOLUME_LIMIT_E18 } from '../market/table-batch.js';
import { RandomFacts } from './random-facts.js';
import { encodeTables } from './row-encoder.js';
import { seeded } from './seeded.js';

describe('encodeTables', () => {
  it('gives the same bytes for the same groups, and rows for every fact', async () => {
    const seed = testSeed();
    await seeded(seed, async () => {
      for (let run = 0; run < scaled(100); run++) {
        const random = new SeededRandom(seed + run);
        const facts = new RandomFacts(random);
        for (let i = 0; i < 40; i++) facts.step();
        const batches = encodeTables(facts.groups);
        expect(encodeTables(structuredClone(facts.groups))).toEqual(batches);
        const rows = Object.fromEntries(batches.map((batch) => [batch.table, batch.rows]));
        const count = (pick: (block: FactsBlock) => unknown[]) =>
          facts.groups.reduce((sum, group) => sum + (group.kind === 'block' ? pick(group).length : 0), 0) || undefined;
        const restored = facts.groups.flatMap((group) => (group.kind === 'retract' ? group.poolStates : []));
        expect(rows).toMatchObject({ blocks: facts.groups.filter(({ kind }) => kind === 'block').length });
        expect([rows.trades, rows.transfers, rows.tokens, rows.pools]).toEqual([
          count(({ trades }) => trades),
          count(({ transfers }) => transfers),
          count(({ tokens }) => tokens),
          count(({ pools }) => pools),
        ]);
        expect(rows.pool_states ?? 0).toBe((count(({ poolStates }) => poolStates) ?? 0) + restored.length);
        for (const batch of batches) expect(batch.body.length).toBeGreaterThan(batch.rows * 24);
      }
    });
  });

  it('gives nothing for groups without rows', () => {
    const facts = new RandomFacts(new SeededRandom(1));
    facts.block();
    facts.finalize();
    const others = facts.groups.filter(({ kind }) => kind !== 'block');
    expect(others.map(({ kind }) => kind)).toEqual(['epoch', 'finalize']);
    expect(encodeTables(others)).toEqual([]);
    expect(encodeTables([])).toEqual([]);
  });

  it('stores a price or volume that its column cannot hold as null', () => {
    const withTrade = (change: Partial<TradeFact>) => {
      const facts = new RandomFacts(new SeededRandom(7));
      while (!facts.groups.some((group) => group.kind === 'block' && group.trades.length > 0)) facts.block();
      const block = facts.groups.find(
        (group): group is FactsBlock => group.kind === 'block' && group.trades.length > 0,
      )!;
      const trades = [{ ...block.trades[0]!, priceUsd: 1n, coinUsd: 1n, volumeUsd: 1n, volumeCoin: 1n, ...change }];
      return encodeTables([{ ...block, trades }]).find(({ table }) => table === 'trades')!.body;
    };
    const none = withTrade({ priceUsd: null });
    expect(withTrade({ priceUsd: PRICE_LIMIT_E36 })).toEqual(none);
    expect(withTrade({ priceUsd: PRICE_LIMIT_E36 - 1n }).length).toBe(none.length + 32);
    expect(withTrade({ volumeUsd: VOLUME_LIMIT_E18 })).toEqual(withTrade({ volumeUsd: null }));
    expect(withTrade({ volumeCoin: VOLUME_LIMIT_E18 - 1n })).not.toEqual(withTrade({ volumeCoin: null }));
  });
});
