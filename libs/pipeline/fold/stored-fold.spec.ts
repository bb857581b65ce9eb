import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { factsBytes, runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { StoredFold } from '#libs/devkit/testing/histories/stored-fold.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import { foldHomeIn } from './fold-home.js';
import { foldSpaces, poolSpace } from './fold-spaces.js';

interface Place {
  name: string;
  histories: number;
  /** Chance after a group. */
  kills: number;
  /** Undo rows of commits are kept up to a bound: `forget` reaches it. */
  home(seed: number): { home: StateHome; forget(): void };
}

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-stored-fold-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const places: Place[] = [
  {
    ...{ name: 'the heap', histories: 60, kills: 0.05 },
    home: () => {
      const home = new HeapHome(foldSpaces);
      const forget = (): void => {
        home.disk.undo.length = 0;
      };
      return { home, forget };
    },
  },
  {
    ...{ name: 'lmdb', histories: 10, kills: 0.02 },
    home: (seed) => {
      const place = { chain: `c${seed}`, epoch: 1, foldVersion: 1 };
      // So few that one commit, the newest, keeps its rows.
      const home = foldHomeIn(dir, place, { commitThread, undoBytes: seed % 2 === 0 ? 1 : 1 << 30 });
      return { home, forget: () => undefined };
    },
  },
];

describe.each(places)('a fold over a state in $name', ({ histories, kills, home: homeOf }) => {
  it('continues from what was committed as if it had never stopped', async () => {
    const met = { kills: 0, again: 0, rewinds: 0, refolds: 0, ahead: 0 };
    for (const seed of propertySeeds(scaled(histories, 4))) {
      try {
        await run(seed, met);
      } catch (error) {
        throw new Error(`seed ${seed} (repeat with TIDEPOOL_TEST_SEED=${seed})`, { cause: error });
      }
    }
    for (const [what, count] of Object.entries(met)) expect([what, count > 0]).toEqual([what, true]);
  }, 300_000);

  async function run(
    seed: number,
    met: { kills: number; again: number; rewinds: number; refolds: number; ahead: number },
  ): Promise<void> {
    const random = new SeededRandom(seed);
    const { groups } = randomHistory(seed + 3_000, { groups: 140, retractions: 0.1 });
    const straight = runFold(groups);
    const { home, forget } = homeOf(seed);
    const stored = new StoredFold(groups, home, { objects: random.pick([1, 40, 10_000]) });
    let next = await stored.start();
    let reached = 0;
    while (next < groups.length) {
      if (random.chance(0.5)) {
        const warm = jest.spyOn(stored.fold.state, 'warm');
        await stored.fold.readAhead(groups.slice(next, next + random.int(1, 4)));
        met.ahead += warm.mock.calls.filter(([space, keys]) => space === poolSpace && keys.length > 0).length;
        warm.mockRestore();
      }
      const facts = await stored.apply(groups[next]!);
      expect(factsBytes(facts)).toBe(factsBytes(straight.facts[next]!));
      next++;
      if (next <= reached) met.again++;
      reached = Math.max(reached, next);
      if (random.chance(0.15)) await stored.fold.state.commit();
      if (random.chance(0.1)) forget();
      if (!random.chance(kills)) continue;
      next = await stored.start();
      met.kills++;
    }
    expect(await stored.fold.stateHash()).toBe(await straight.fold.stateHash());
    await stored.fold.state.close();
    met.rewinds += stored.rewinds;
    met.refolds += stored.refolds;
  }
});
