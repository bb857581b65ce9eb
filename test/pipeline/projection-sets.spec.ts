import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { Projection } from '#libs/pipeline/projections/projection.js';

/**
 * The invariants hold with any set of projections: here with a random one, so that none leans on another that it does
 * not name in its needs. What pools, prices and candles are made of is always there.
 */
const NEEDED = new Set(['blocks', 'tokens', 'pools', 'pool-states', 'prices', 'references', 'trades', 'candles']);

const REGISTRY = join(import.meta.dirname, '../../libs/pipeline/projections/registry.ts');
const imports = /import \{ (\w+) \} from '\.\/([\w-]+)\/projection\.js'/g;
const all = new Map<string, Projection>();
for (const [, name, folder] of readFileSync(REGISTRY, 'utf8').matchAll(imports)) {
  const module = (await import(`#libs/pipeline/projections/${folder}/projection.js`)) as Record<string, Projection>;
  all.set(name!, module[name!]!);
}
const order = [
  .../projections: readonly Projection\[\] = \[([^\]]*)\]/.exec(readFileSync(REGISTRY, 'utf8'))![1]!.matchAll(/\w+/g),
];

const seed = testSeed();
const random = new SeededRandom(seed);
const optional = [...all.values()].filter(({ name }) => !NEEDED.has(name));
// One that is always off, the others by chance.
const off = new Set([random.pick(optional).name, ...optional.filter(() => random.chance(0.5)).map(({ name }) => name)]);
// In the order of the registry: one that needs one that is off is off too.
for (const [variable] of order) {
  const { name, needs } = all.get(variable)!;
  if (needs?.some((needed) => off.has(needed.name))) off.add(name);
}
const projections = order.map(([variable]) => all.get(variable)!).filter(({ name }) => !off.has(name));

jest.unstable_mockModule('#libs/pipeline/projections/registry.js', () => ({
  projections,
  keyedFolds: projections.flatMap(({ keyed }) => keyed ?? []),
  journals: projections.flatMap(({ journals }) => journals ?? []),
  derivedTables: projections.flatMap(({ derived }) => derived ?? []),
}));
const { describeInvariants } = await import('./invariant-suite.js');
const { foldSpaces } = await import('#libs/pipeline/fold/fold-spaces.js');

describe(`without ${[...off].join(' and ')} (TIDEPOOL_TEST_SEED=${seed}) (long)`, () => {
  describeInvariants(scaled(20, 2));

  it('the set was the one that ran', () => {
    expect(optional.length).toBeGreaterThan(1);
    const spaces = foldSpaces.map(({ name }) => name);
    const keyed = [...all.values()].flatMap(({ name, keyed }) => (keyed ? [[name, keyed.space.name] as const] : []));
    expect(keyed.length).toBeGreaterThan(0);
    for (const [name, space] of keyed) expect([name, spaces.includes(space)]).toEqual([name, !off.has(name)]);
  });
});
