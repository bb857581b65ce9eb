import { jest } from '@jest/globals';
import { silentLogger } from '#libs/platform/logger.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readTopWallets } from '#libs/reader/read-top-wallets.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { seeds, servedMarket, temporaryStore } from '#libs/testing/market/market-harness.js';
import { takeView, written } from '#libs/testing/market/written-market.js';
import { SeededRandom } from '#libs/testing/seeded-random.js';
import { TopWalletRankings } from './top-wallets.js';

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

    expect(await rankings.current(reader, order)).toEqual({ view: older, sums: atOlder });
    newest = newer;
    // Shown on without a question; a page that is pinned to it is answered from it.
    expect(await rankings.current(reader, order)).toEqual({ view: older, sums: atOlder });
    expect((await rankings.at(older, order, 10)).sums).toEqual(atOlder);
    expect(questions).toBe(1);
    expect((await rankings.at(newer, order, 3)).sums).toEqual(atNewer.slice(0, 3));
    expect((await rankings.at(older, order, 500)).sums).toEqual(atOlder);
    expect(questions).toBe(3);
    clock.mockRestore();
  });
});
