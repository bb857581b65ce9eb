import { jest } from '@jest/globals';

/** What a spec draws in an environment: each load of the module is a spec of its own. */
async function drawn(env: { run?: string; seed?: string }) {
  const before = { ...process.env };
  for (const [name, value] of Object.entries({ TIDEPOOL_TEST_RUN: env.run, TIDEPOOL_TEST_SEED: env.seed })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  try {
    jest.resetModules();
    const { propertySeeds, testSeed } = await import('./seeded-random.js');
    return { own: [testSeed(), testSeed()], fixed: testSeed(41), property: propertySeeds(3, 5) };
  } finally {
    process.env = before;
  }
}

describe('seeds', () => {
  it('of the gate are the same each time, and differ within a test', async () => {
    const first = await drawn({});
    expect(await drawn({})).toEqual(first);
    expect(first.own[0]).not.toBe(first.own[1]);
    expect([first.fixed, first.property]).toEqual([41, [5, 6, 7]]);
  });

  it('of a hunt are its own, also where the gate has fixed ones, and its name repeats them', async () => {
    const [gate, one, other] = [await drawn({}), await drawn({ run: 'one' }), await drawn({ run: 'other' })];
    expect(await drawn({ run: 'one' })).toEqual(one);
    const all = [gate, one, other].flatMap(({ own, fixed, property }) => [...own, fixed, ...property]);
    expect(new Set(all).size).toBe(all.length);
    expect(one.property.map((seed) => seed - one.property[0]!)).toEqual([0, 1, 2]);
  });

  it('are the one that is asked for', async () => {
    for (const run of [undefined, 'one'])
      expect(await drawn({ run, seed: '7' })).toEqual({ own: [7, 7], fixed: 7, property: [7] });
  });

  it('of one test do not hang on those of another', async () => {
    const name = expect.getState().currentTestName;
    const here = await drawn({});
    expect.setState({ currentTestName: 'another' });
    const there = await drawn({});
    expect.setState({ currentTestName: name });
    expect(there.own).not.toEqual(here.own);
    expect((await drawn({})).own).toEqual(here.own);
  });
});
