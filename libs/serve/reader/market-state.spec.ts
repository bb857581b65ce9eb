import { seeds, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { noting, walkedViews } from '#libs/devkit/testing/market/walked-views.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { neverCounted, untilMet } from '#libs/devkit/testing/until-met.js';
import type { Above } from '#libs/pipeline/store/market/all-rows.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { ChainView } from './chain-view.js';
import { type MarketState, MarketStates } from './market-state.js';

/** A state that follows from the one before is the one that is read from the tables alone, wherever reads go. */
describe('states of a chain', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const met = { onward: 0, sameTables: 0, takenBack: 0, earlier: 0, fromTheStart: 0 };
  const history = async (seed: number, run: number, near: boolean): Promise<void> => {
    const random = new SeededRandom(seed);
    const states = new MarketStates(random.pick([0, 200_000, 10_000_000]));
    for await (const { view, ...step } of walkedViews(store, random, run, {
      blockTimes: [1_000, 12_000, 40_000],
      near,
    })) {
      const asked: unknown[][] = [];
      const state = await states.read(noting(view, asked));
      const own = await new MarketStates().read(view);
      expect({ seed, state: rowsOf(state) }).toEqual({ seed, state: rowsOf(own) });
      // Read above a block that is newer than the sealed one.
      const above = asked.find(([name]) => name === 'allTokens')?.[2] as { seq: number } | null | undefined;
      const sealed = await view.reads.blockByTime(view.tables, view.tables.sealedTime);
      if (above && sealed && above.seq > sealed.seq) met.onward++;
      if (asked.some(([name]) => name === 'keyRanges')) met.fromTheStart++;
      for (const name of ['sameTables', 'takenBack', 'earlier'] as const) if (step[name]) met[name]++;
    }
  };
  const runs = seeds(40);
  it.each(runs.map((seed, run) => [seed, run, false] as const))('follow from those before (seed %i)', history);

  const spots = (...rows: [seq: number, time: number, token: string][]) => rows;
  it.each([
    // Rows of the tables that were taken back are gone, also where no other row took their place.
    { first: { seq: 2, tail: null }, rows: spots([1, 10, 'aa'], [2, 20, 'bb'], [4, 30, 'aa']), left: ['aa'] },
    // Rows that took the place of those of the tail may be older than they.
    { first: { seq: 1, tail: 2 }, rows: spots([1, 10, 'aa'], [4, 15, 'cc']), left: ['aa', 'cc'] },
  ])('are read again where blocks were taken back: $left', async ({ first, rows, left }) => {
    const states = new MarketStates();
    const retracted = [{ fromSeq: 2, retractSeq: 3 }];
    await states.read(plainView(rows, { seq: first.seq, retracted: [] }, first.tail));
    const state = await states.read(plainView(rows, { seq: 4, retracted }, null));
    expect([...state.spots.entries()].map(([token]) => token).sort()).toEqual(left);
  });

  it(`were read in all ways (seed ${runs[0]})`, async () => {
    await untilMet(
      () => neverCounted(met),
      (nth) => history(runs[0]! + runs.length + nth, runs.length + nth, true),
    );
  });
});

function rowsOf({ tokens, pools, amounts, spots, spotsBefore, rows }: MarketState) {
  const sorted = (map: { entries(): Iterable<[string, unknown]> }) =>
    [...map.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...{ tokens: sorted(tokens), pools: sorted(pools), amounts: sorted(amounts), spots: sorted(spots) },
    ...{ spotsBefore: spotsBefore.map(sorted), rows: rows.map(sorted) },
  };
}

/** A view of tables that have prices alone, and of a group in the tail; nothing is sealed. */
function plainView(
  rows: readonly [seq: number, time: number, token: string][],
  tables: Pick<View, 'seq' | 'retracted'>,
  tail: number | null,
): ChainView {
  const none = async () => [];
  const seen = (above: Above | null) =>
    rows.filter(([seq, time]) => {
      const gone = tables.retracted.some(({ fromSeq, retractSeq }) => fromSeq <= seq && seq < retractSeq);
      return seq <= tables.seq && !gone && (above === null || (seq > above.seq && time >= above.time));
    });
  return {
    pin: { epoch: 1, generation: 1, seq: tail ?? tables.seq },
    head: { time: 30 },
    tables,
    groups: tail === null ? [] : [{ facts: { kind: 'retract', seq: tail, time: 20, prices: [], poolStates: [] } }],
    reads: {
      ...{ allTokens: none, allPools: none, allPoolAmounts: none, allKeyed: none },
      allSpots: async (_: unknown, above: Above | null) => seen(above).map(([, , token]) => ({ token })),
      allSpotsWithin: async (_: unknown, spans: readonly unknown[]) => spans.map(() => []),
      blockByTime: async () => null,
    },
  } as unknown as ChainView;
}
