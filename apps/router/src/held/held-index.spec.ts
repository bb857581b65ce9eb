import { randomUUID } from 'node:crypto';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { HeldIndex } from './held-index.js';

const [seed] = propertySeeds(1, 20_261_122) as [number];

/** Every live entry that may be of an id, newest first. */
function chainOf(index: HeldIndex, id: string): number[] {
  const entries: number[] = [];
  for (let entry = index.newest(id); entry >= 0; entry = index.older(entry)) entries.push(entry);
  return entries;
}

describe('the index of held quotes', () => {
  it(`knows what a plain list knows (seed ${seed})`, () => {
    const random = new SeededRandom(seed);
    const index = new HeldIndex();
    const ids = Array.from({ length: 400 }, () => random.hex(16));
    const list: { entry: number; id: string; piece: number; start: number; end: number; expiresAt: number }[] = [];
    let gone = 0;
    let largest = 0;
    // It grows past its first size, then shrinks and grows again, so that slots are used many times.
    for (let i = 0; i < 12_000; i++) {
      const grows = Math.floor(i / 3_000) % 2 === 0;
      if (random.chance(grows ? 0.9 : 0.2)) {
        const id = random.pick(ids);
        const row = {
          entry: i,
          id,
          piece: i,
          start: random.int(0, 1e6),
          end: random.int(0, 1e6),
          expiresAt: i * 2 ** 33,
        };
        index.add(id, row.piece, row.start, row.end, row.expiresAt);
        list.push(row);
      } else if (index.size > 0) {
        index.dropFirst();
        gone++;
      }
      largest = Math.max(largest, index.size);
      if (i % 50 !== 0) continue;
      const live = list.slice(gone);
      expect(index.size).toBe(live.length);
      const id = random.pick(ids);
      const found = chainOf(index, id).map((entry) => [
        ...[index.piece(entry), index.start(entry), index.end(entry), index.expiresAt(entry)],
      ]);
      const expected = live.filter((row) => row.id === id).reverse();
      expect(found).toEqual(expected.map(({ piece, start, end, expiresAt }) => [piece, start, end, expiresAt]));
      if (live.length > 0) expect(index.expiresAt(index.first)).toBe(live[0]!.expiresAt);
    }
    expect(largest).toBeGreaterThan(1_024);
  });

  it('tells entries of the same bucket apart by their hashes', () => {
    const index = new HeldIndex();
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    for (const [i, id] of ids.entries()) index.add(id, 0, i, i, 0);
    const found = ids.map((id) => chainOf(index, id).length);
    expect(found.filter((count) => count === 1).length).toBeGreaterThanOrEqual(990);
    expect(Math.min(...found)).toBe(1);
    expect(index.newest(randomUUID())).toBe(-1);
  });
});
