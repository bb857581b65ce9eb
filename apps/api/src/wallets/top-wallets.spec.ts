import { jest } from '@jest/globals';
import { seeds, servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readWalletPositions } from '#libs/serve/reader/read-positions.js';
import { readTopWallets } from '#libs/serve/reader/read-top-wallets.js';
import { TopWalletRankings, TopWallets } from './top-wallets.js';

/** The order of wallets is kept for a while; a page that is pinned gets the order of its own view. */
describe.each(seeds(2))('top wallets that are kept (seed %i)', (seed) => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  it('are those of one view', async () => {
    const market = servedMarket(seed, { family: 'evm', groups: 60, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 1, new SeededRandom(seed));
    const viewAt = (position: number): ChainView => {
      const base = checkpoints.findLast(({ seq }) => seq <= position)!;
      const view = takeView(market, base, reads, position)!;
      return {
        ...view,
        reads: { ...view.reads, topProfits: (...args) => asked(() => view.reads.topProfits(...args)) },
      };
    };
    let questions = 0;
    const asked = <Found>(read: () => Found): Found => {
      questions++;
      return read();
    };
    const last = market.facts.length - 1;
    const [older, newer] = [viewAt(last - 20), viewAt(last)];
    let newest = older;
    // No time passes.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const reader = { chain: market.chain, view: () => newest } as unknown as ChainReader;
    const rankings = new TopWalletRankings(silentLogger);
    const order = { window: '30d', sort: 'trades' } as const;
    const truth = (view: ChainView) => readTopWallets({ ...view, reads }, 0, 'trades', 401);
    const [atOlder, atNewer] = [await truth(older), await truth(newer)];
    expect(atOlder).not.toEqual(atNewer);

    expect(await rankings.current(reader, order)).toMatchObject({ view: older, sums: atOlder });
    newest = newer;
    // Shown on without a question; a page that is pinned to it is answered from it.
    expect(await rankings.current(reader, order)).toMatchObject({ view: older, sums: atOlder });
    expect((await rankings.at(older, order, 10)).sums).toEqual(atOlder);
    expect(questions).toBe(1);
    expect((await rankings.at(newer, order, 3)).sums).toEqual(atNewer.slice(0, 3));
    expect((await rankings.at(older, order, 500)).sums).toEqual(atOlder);
    expect(questions).toBe(3);
    clock.mockRestore();
  });

  it('has what the first wallets hold before a request is answered from a new order', async () => {
    const market = servedMarket(seed, { family: 'evm', groups: 60, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 2, new SeededRandom(seed));
    let questions = 0;
    const viewAt = (position: number): ChainView => {
      const view = takeView(market, checkpoints.findLast(({ seq }) => seq <= position)!, reads, position)!;
      const keyedRows: typeof reads.keyedRows = (...args) => {
        questions++;
        return reads.keyedRows(...args);
      };
      return { ...view, reads: Object.assign(Object.create(reads) as typeof reads, { keyedRows }) };
    };
    const last = market.facts.length - 1;
    let newest = viewAt(last - 20);
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const reader = { chain: market.chain, view: () => newest } as unknown as ChainReader;
    const rankings = new TopWalletRankings(silentLogger);
    const order = { window: '30d', sort: 'trades' } as const;
    const first = await rankings.current(reader, order);
    await first.openOf(first.sums);
    newest = viewAt(last);
    now = 600;
    expect(await rankings.current(reader, order)).toBe(first);
    let next = first;
    await until('the new order', async () => {
      next = await rankings.current(reader, order);
      return next !== first;
    });
    questions = 0;
    const sums = next.sums.slice(0, first.sums.length);
    const shown = await next.openOf(sums);
    expect(questions).toBe(0);
    clock.mockRestore();
    const afresh = new TopWallets(next.view, next.sums);
    expect(await afresh.openOf(sums)).toEqual(shown);
    expect(questions).toBeGreaterThan(0);
    // No more than requests had of the one before, however many were read ahead for that.
    const [narrow, after] = [new TopWallets(next.view, next.sums), new TopWallets(next.view, next.sums)];
    await narrow.prepare(first);
    await narrow.openOf(sums.slice(0, 1));
    await after.prepare(narrow);
    questions = 0;
    await after.openOf(sums.slice(0, 1));
    expect(questions).toBe(0);
    await after.openOf(sums);
    expect(questions > 0).toBe(sums.length > 1);
    expect(shown.some(({ holdingSeconds }) => holdingSeconds !== null)).toBe(true);
  });

  it('reads as many positions of each of several wallets as of one alone', async () => {
    const market = servedMarket(seed, { family: 'evm', groups: 60, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 3, new SeededRandom(seed));
    const view = takeView(market, checkpoints.at(-1)!, reads, market.facts.length - 1)!;
    const wallets = (await readTopWallets(view, 0, 'trades', 5)).map(({ wallet }) => wallet);
    for (const most of [1, 2, 1_000]) {
      for (const together of [1, 3, 10_000]) {
        const found = await readWalletPositions(view, wallets, { most, together });
        for (const wallet of wallets) {
          const own = found.filter((position) => position.wallet === wallet);
          expect(own).toEqual(await readWalletPositions(view, [wallet], { most }));
        }
      }
    }
  });
});
