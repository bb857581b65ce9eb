import { seeds, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { noting, walkedViews } from '#libs/devkit/testing/market/walked-views.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { neverCounted, untilMet } from '#libs/devkit/testing/until-met.js';
import type { WindowCounts } from '#libs/pipeline/store/market/all-stats.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { StoredStats } from './stored-stats.js';

/** Windows so short that each step has trades that leave one, and tokens that have none left. */
const WINDOWS = [
  [60_000, 400_000, 2_000_000],
  [20_000, 40_000, 100_000],
];

/** Counts that follow from those before are the ones that the tables give for all trades, wherever reads go. */
describe('counts of every token over windows', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const met = { whole: 0, onward: 0, sameTables: 0, takenBack: 0, earlier: 0, emptied: 0 };
  const history = async (seed: number, run: number, near: boolean): Promise<void> => {
    const random = new SeededRandom(seed);
    const windows = random.pick(WINDOWS);
    const stats = new StoredStats();
    const traded = new Set<string>();
    for await (const { view, ...step } of walkedViews(store, random, run, { blockTimes: [12_000, 40_000], near })) {
      const asked: unknown[][] = [];
      const fromTimes = windows.map((length) => view.head.time - length + 1);
      const counts = await stats.read(noting(view, asked), fromTimes);
      const own = await view.reads.allTokenStats(view.tables, fromTimes);
      for (const token of own.keys()) traded.add(token);
      for (const token of traded) {
        const expected = { seed, token, counts: windowsOf(own.get(token)) };
        expect({ seed, token, counts: windowsOf(counts.get(token)) }).toEqual(expected);
        if (counts.get(token)?.isEmpty) met.emptied++;
      }
      if (asked.some(([name]) => name === 'allTokenStats')) met.whole++;
      else met.onward++;
      for (const name of ['sameTables', 'takenBack', 'earlier'] as const) if (step[name]) met[name]++;
    }
  };
  const runs = seeds(20);
  it.each(runs.map((seed, run) => [seed, run, false] as const))('are those of the tables (seed %i)', history);

  it(`followed from those before, and were counted again (seed ${runs[0]})`, async () => {
    await untilMet(
      () => neverCounted(met),
      (nth) => history(runs[0]! + runs.length + nth, runs.length + nth, true),
    );
  });
});

const NONE: WindowCounts = { volumeUsd: 0n, loopVolumeUsd: 0n, trades: 0, buys: 0, buyers: 0, sellers: 0 };

const windowsOf = (counts: { of(window: number): WindowCounts } | undefined): WindowCounts[] =>
  WINDOWS[0]!.map((_, index) => counts?.of(index) ?? NONE);
