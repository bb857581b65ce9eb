import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom, testScale as scale } from '#libs/testing/seeded-random.js';
import { DirectorySnapshots, ladderExcess } from './snapshot-store.js';

describe('the ladder of snapshots', () => {
  it('keeps the newest few and the oldest, and no more than a few for each doubling of the distance', () => {
    for (let seed = 1; seed <= Math.max(20, 400 * scale); seed++) {
      const random = new SeededRandom(seed);
      let held: number[] = [];
      let oldest = Number.POSITIVE_INFINITY;
      for (let seq = random.int(0, 50), saves = 0; saves < 400; saves++, seq += random.int(1, 40)) {
        if (random.chance(0.01)) {
          held = held.filter((known) => known < seq - random.int(1, 500));
          oldest = held.at(-1) ?? Number.POSITIVE_INFINITY;
        }
        held = [seq, ...held.filter((known) => known < seq)];
        oldest = Math.min(oldest, seq);
        const newest = held.slice(0, 3);
        const excess = ladderExcess(held, 3);
        held = held.filter((known) => !excess.includes(known));
        expect({ seed, newest: held.slice(0, 3), oldest: held.at(-1) }).toEqual({ seed, newest, oldest });
        expect(held.length).toBeLessThanOrEqual(3 + Math.ceil(Math.log2(seq - oldest + 2)));
      }
    }
  });
});

describe('snapshots on disk', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-snapshots-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('come back whole or not at all, and go from either end', async () => {
    const snapshots = new DirectorySnapshots(join(dir, 'eth'));
    expect(await snapshots.list()).toEqual([]);
    for (const seq of [7, 40, 90]) await snapshots.save(seq, Buffer.from(`state at ${seq}`));
    expect(await snapshots.list()).toEqual([90, 40, 7]);
    expect(Buffer.from((await snapshots.load(40))!).toString()).toBe('state at 40');
    expect(await snapshots.load(41)).toBeNull();
    const [name] = (await readdir(join(dir, 'eth'))).filter((file) => file.includes('40'));
    const bytes = await readFile(join(dir, 'eth', name!));
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x10;
      await writeFile(join(dir, 'eth', name!), at % 2 === 0 ? damaged : bytes.subarray(0, at));
      expect({ at, state: await snapshots.load(40) }).toEqual({ at, state: null });
    }
    await snapshots.dropBelow(40);
    await snapshots.dropFrom(90);
    expect(await snapshots.list()).toEqual([40]);
  });
});
