import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { spend, Turns } from '#libs/devkit/testing/turns.js';
import { firstOf } from './first-of.js';

describe('the first of many', () => {
  it.each(seeds(20))('are those of a whole sort, equal ones as they came (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    for (const length of [0, 1, random.int(2, 400), random.int(600, 5_000)]) {
      const values = random.pick([3, 1_000, 1_000_000]);
      const items = Array.from({ length }, (_, place) => ({ value: random.below(values), place }));
      const compare = (a: { value: number }, b: { value: number }): number => b.value - a.value;
      for (const limit of [1, random.int(1, 700), length + 1, Number.POSITIVE_INFINITY]) {
        const expected = [...items].sort(compare).slice(0, limit);
        expect({ seed, length, limit, found: await firstOf(items, limit, compare) }).toEqual({
          ...{ seed, length, limit },
          found: expected,
        });
      }
    }
  });

  it('let others have their turn', async () => {
    const turns = new Turns();
    const items = Array.from({ length: 1_500 }, (_, index) => index);
    await firstOf(items, 1, (a, b) => {
      // Longer than a turn for the items that are looked at between two looks at the clock.
      spend(0.1);
      return a - b;
    });
    turns.end();
    expect(turns.now).toBeGreaterThanOrEqual(9);
  });
});
