import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { oneSeedAsked, propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { Happened } from './live/happened.js';
import { LiveWorld } from './live/live-world.js';

/**
 * Invariant 5 of docs/architecture.md: a client that only applies frames holds exactly what the REST functions answer at
 * the same block, through reorgs, disconnects, resumes, slow reading, a sink that is stopped, flips of generations, a store that
 * is away and restarts of the api. After every single frame, and of everything at rest.
 */
const runs = propertySeeds(scaled(200, 8));
const happened: Happened = {};

describe('invariant 7: live trades and candles', () => {
  it.each(runs)('history %i', async (seed) => {
    const history = randomHistory(seed, {
      groups: 140,
      deepest: 64,
      retractions: 0.08,
      busiest: 4,
      traders: seed % 2 === 0,
    });
    const world = new LiveWorld({ history, seed, happened });
    await world.run();
    expect({ seed, problems: world.problems }).toEqual({ seed, problems: [] });
  });

  afterAll(() => {
    if (!oneSeedAsked) {
      const rare = ['snapshot', 'trades', 'candles', 'retract', 'lagged', 'resumed', 'flip', 'end 4408', 'end 1012'];
      const tagged = ['tags with trades', 'tags alone'];
      const never = [...rare, ...tagged, 'error not_found', 'error upstream_unavailable', 'compared at rest'].filter(
        (what) => (happened[what] ?? 0) === 0,
      );
      expect({ never, happened }).toEqual({ never: [], happened });
    }
  });
});
