import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { after, before, type Program, UpgradeWorld } from './upgrade-world.js';

const count = Math.max(4, Math.round(20 * scale));
const seeds = Array.from({ length: count }, (_, i) => i + 1);

const worlds: UpgradeWorld[] = [];

function worldOf(seed: number, keepReplacedMs?: number): UpgradeWorld {
  const world = new UpgradeWorld(seed, randomHistory(seed, { groups: 80 }).groups, keepReplacedMs);
  worlds.push(world);
  return world;
}

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** All facts of the fold versions, to where each of them was written. */
function expectFacts(world: UpgradeWorld, programs: Program[]): void {
  for (const program of programs) {
    const facts = world.factsOf(program.foldVersion);
    expect(facts.length).toBeGreaterThan(0);
    expect(facts).toEqual(world.expectedOf(program, facts.length));
  }
}

describe('another fold version (long)', () => {
  it.each(seeds)('is built beside the old and replaces it whole, whatever is killed (seed %i)', async (seed) => {
    const world = worldOf(seed);
    world.install(before);
    world.grow(40);
    await world.settle();
    world.install(after);
    world.grow(world.length);
    await world.run(300, 0.05);
    await world.settle();
    expect(world.problems).toEqual([]);
    expectFacts(world, [before, after]);
    expect(world.factsOf(1)).toHaveLength(40);
    expect(world.tables.current).toMatchObject({ foldVersion: 2, generation: 2 });
    expect(await world.tables.generations()).toEqual([1, 2]);
  });

  it.each(seeds)('two versions in turn continue what each has built (seed %i)', async (seed) => {
    const world = worldOf(seed);
    world.install(before);
    world.grow(20);
    await world.settle();
    for (let turn = 1; turn <= 6; turn++) {
      world.install(turn % 2 === 1 ? after : before);
      world.grow(20 + turn * 10);
      await world.run(120, 0.05);
      if (world.scheduler.chance(0.5)) await world.settle();
    }
    await world.settle();
    expect(world.problems).toEqual([]);
    expectFacts(world, [before, after]);
    expect(world.tables.current).toMatchObject({ foldVersion: 1, generation: 1 });
    expect(await world.tables.generations()).toEqual([1, 2]);
  });

  it('what it replaced goes after a while, and the way back then builds it again', async () => {
    const world = worldOf(5, 1);
    world.install(before);
    world.grow(30);
    await world.settle();
    world.install(after);
    await world.settle();
    await world.run(2_000, 0, () => world.factsOf(1).length === 0);
    expect(world.factsOf(1)).toEqual([]);
    expect(await world.tables.generations()).toEqual([2]);
    expect((await world.homeOf(1).kept()).committed).toBeNull();
    world.install(before);
    world.grow(60);
    await world.settle();
    expect(world.problems).toEqual([]);
    expect(world.factsOf(1)).toEqual(world.expectedOf(before, 60));
    expect(world.tables.current).toMatchObject({ foldVersion: 1, generation: 3 });
  });
});
