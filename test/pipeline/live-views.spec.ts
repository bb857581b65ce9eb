import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { oneSeedAsked, propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { Happened } from './live/happened.js';
import { LiveWorld } from './live/live-world.js';

/**
 * Invariant 5 of docs/architecture.md for the channels whose rows are read from views: after every frame a client holds
 * what the REST functions answer at the frame's block, under the faults of live.spec.ts.
 */
const runs = propertySeeds(scaled(80, 8));
const happened: Happened = {};

const rare = ['token', 'pair', 'holders', 'traders', 'trades', 'balances', 'prices', 'lagged', 'resumed'];
const compared = ['token', 'pairs', 'holders', 'traders', 'wallet', 'prices'].map((channel) => `compared ${channel}`);
const never = (): string[] => [...rare, ...compared, 'compared at rest'].filter((what) => (happened[what] ?? 0) === 0);

async function run(seed: number): Promise<void> {
  const history = randomHistory(seed, { groups: 140, deepest: 64, retractions: 0.08, busiest: 4 });
  const world = new LiveWorld({ history, seed, happened, views: true });
  await world.run();
  expect({ seed, problems: world.problems }).toEqual({ seed, problems: [] });
}

describe('invariant 7: live channels that are read from views', () => {
  it.each(runs)('history %i', run);

  it('until every kind of frame was met', async () => {
    if (oneSeedAsked) return;
    for (let seed = 1_000; never().length > 0 && seed < 1_100; seed++) await run(seed);
    expect({ never: never(), happened }).toEqual({ never: [], happened });
  });
});
