import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { LayeredMap, merged } from './layered-map.js';

describe('a layered map', () => {
  it.each(seeds(20))('says what one map with all of it does, and leaves what it is made of (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const some = (): Map<string, number> =>
      new Map(Array.from({ length: random.int(0, 60) }, () => [String(random.below(50)), random.below(1_000)]));
    const [below, above, set] = [some(), some(), some()];
    const before = [[...below], [...above]];
    const layered = LayeredMap.over(below, above);
    const flatBefore = await layered.flat();
    for (const [key, value] of set) layered.set(key, value);
    const all = new Map([...below, ...above, ...set]);
    const sorted = (entries: Iterable<[string, number]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    expect({ seed, all: sorted(layered.entries()) }).toEqual({ seed, all: sorted(all) });
    expect(sorted((await layered.flat()).entries())).toEqual(sorted(all));
    expect(sorted(flatBefore.entries())).toEqual(sorted(new Map([...below, ...above])));
    for (let key = 0; key < 50; key++) expect(layered.get(String(key))).toBe(all.get(String(key)));
    expect([[...below], [...above]]).toEqual(before);
  });

  it('copies nothing where one of two maps is empty', async () => {
    const [some, none] = [new Map([['a', 1]]), new Map<string, number>()];
    expect(await merged(some, none)).toBe(some);
    expect(await merged(none, some)).toBe(some);
    expect(await LayeredMap.over(some).flat()).toBe(some);
  });
});
