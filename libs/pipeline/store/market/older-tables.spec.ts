import { servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type WalletProfit, walletProfits } from '#libs/pipeline/projections/wallet-profits/projection.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { AnalyticsStore } from '../store.js';
import { marketDatabase } from './market-tables.js';

/** Tables of the fold version before are served until its successor has caught up, with the schema that they had. */
describe('tables that do not say why a trade is uncounted', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  it('say whether, and sum all volumes', async () => {
    const seed = testSeed();
    const market = servedMarket(seed, { family: 'evm', groups: 120, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 1, new SeededRandom(seed));
    const { tables } = takeView(market, checkpoints.at(-1)!, reads, market.facts.length - 1)!;
    const database = marketDatabase(market.chain.slug, 1);
    for (const copy of ['trades_by_quote_copy', 'trades_by_wallet_copy'])
      await store.command(`DROP VIEW ${database}.${copy}`);
    for (const table of ['trades', 'trades_by_quote', 'trades_by_wallet'])
      await store.command(`ALTER TABLE ${database}.${table} DROP COLUMN uncounted`);
    await store.command(`ALTER TABLE ${database}.candles DROP COLUMN loop_volume_usd`);
    const blocks = market.facts.filter((group): group is FactsBlock => group.kind === 'block');
    const end = blocks.at(-1)!.time + 1;
    let trades = 0;
    for (const token of new Set(blocks.flatMap((block) => block.trades.map(({ base }) => base)))) {
      const own = blocks.flatMap((block) =>
        block.trades.filter((trade) => trade.base === token || trade.quote === token),
      );
      const volumeUsd = own.reduce((sum, trade) => sum + (trade.volumeUsd ?? 0n), 0n);
      const rows = await reads.tradesPage(tables, { token, limit: 10_000 });
      expect({ seed, why: rows.map(({ uncounted }) => uncounted).reverse() }).toEqual({
        ...{ seed, why: own.map(({ uncounted }) => (uncounted === null ? null : 'unknown')) },
      });
      const all = { volumeUsd, loopVolumeUsd: 0n, trades: own.length };
      expect((await reads.tokenStats(tables, token, [{ fromTime: 0 }]))[0]).toMatchObject(all);
      expect((await reads.allTokenStats(tables, [0])).get(token)!.of(0)).toMatchObject(all);
      const { times } = await reads.recentSums(tables, token, 0, 10_000);
      const recent = await reads.recentTrades(tables, [token], 0, 10_000);
      const query = { token, interval: '1d', fromTime: 0, toTime: end, limit: 1_000 } as const;
      const sum = (parts: readonly { volumeUsd: bigint }[]) => parts.reduce((all, part) => all + part.volumeUsd, 0n);
      expect([sum(times), sum(recent)]).toEqual([volumeUsd, volumeUsd]);
      // Sealed candles are as they were written.
      for (const mayBeFew of [false, true]) {
        const candles = await reads.candleBuckets(tables, { ...query, mayBeFew });
        expect(candles.length).toBeGreaterThan(0);
        expect(candles.filter(({ loopVolumeUsd }) => loopVolumeUsd !== 0n)).toEqual([]);
      }
      trades += own.length;
    }
    expect(trades).toBeGreaterThan(10);
  });
});

describe('tables that do not say what transactions cost', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  it('know the fees of no trade, and all else', async () => {
    const seed = testSeed();
    const market = servedMarket(seed, { family: 'solana', groups: 120, retractions: 0, traders: true });
    const { checkpoints, reads } = await written(store, market, 1, new SeededRandom(seed));
    const { tables } = takeView(market, checkpoints.at(-1)!, reads, market.facts.length - 1)!;
    const read = async () => (await reads.keyedRows(tables, walletProfits.keyed, {})) as unknown as WalletProfit[];
    const top = () => reads.topProfits(tables, 0, 'trades', 1_000);
    const [hours, sums] = [await read(), await top()];
    expect(sums.some(({ feesUsd }) => feesUsd > 0n)).toBe(true);
    const database = marketDatabase('eth', 1);
    await store.command(`DROP VIEW ${database}.wallet_profits_by_hour_copy`);
    for (const table of ['wallet_profits', 'wallet_profits_by_hour'])
      for (const column of ['unknown_fees', 'fees_usd', 'linked_usd'])
        await store.command(`ALTER TABLE ${database}.${table} DROP COLUMN ${column}`);
    const unknown = <Row extends Omit<WalletProfit, 'hour'>>(row: Row): Row => ({
      ...row,
      linkedUsd: 0n,
      feesUsd: 0n,
      unknownFees: row.buys + row.sells,
    });
    expect({ seed, hours: await read() }).toEqual({ seed, hours: hours.map(unknown) });
    expect({ seed, sums: await top() }).toEqual({ seed, sums: sums.map(unknown) });
  });
});
