import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { PipelineWorld } from './pipeline-world.js';

const count = Math.max(8, Math.round(200 * scale));
const faults = { kill: 0.06, zombie: 0.03, lostAnswer: 0.05, age: 0 };

describe('schedules of fold and sink over in-memory ports', () => {
  it.each(Array.from({ length: count }, (_, i) => i + 1))('seed %i ends as the surviving chain alone', async (seed) => {
    const { groups } = randomHistory(seed);
    const world = new PipelineWorld({ seed, history: groups, faults, replay: seed % 4 === 0 });
    await world.run();
    expect(await world.problems()).toEqual([]);
  });
});
