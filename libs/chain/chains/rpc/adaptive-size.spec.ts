import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { AdaptiveSize } from './adaptive-size.js';

/** Asks a node that refuses what is larger than a limit; the sizes that were asked, and those refused. */
function ask(size: AdaptiveSize, limit: number, times: number): { asked: number; refused: number; most: number } {
  let [asked, refused, most] = [0, 0, 0];
  for (let n = 0; n < times; n++) {
    const { size: next } = size;
    asked++;
    if (next > limit) {
      refused++;
      size.tooMuch(next);
    } else {
      most = Math.max(most, next);
      size.fine(next);
    }
  }
  return { asked, refused, most };
}

describe('the size of questions', () => {
  const random = new SeededRandom(testSeed());

  it('comes near to a limit and costs few refusals there', () => {
    for (let n = 0; n < 50; n++) {
      const limit = 1 + random.int(2_000);
      const size = new AdaptiveSize(2_000);
      const { refused, most } = ask(size, limit, 400);
      expect({ limit, near: most > limit / 2 }).toEqual({ limit, near: true });
      expect(refused).toBeLessThan(30);
    }
  });

  it('grows again after a dense stretch', () => {
    const size = new AdaptiveSize(2_000);
    ask(size, 1, 20);
    expect(size.size).toBeLessThanOrEqual(2);
    ask(size, 2_000, 400);
    expect(size.size).toBe(2_000);
  });

  it('never leaves its bounds, whatever is refused', () => {
    const size = new AdaptiveSize(100, 64);
    for (let n = 0; n < 2_000; n++) {
      const asked = 1 + random.int(size.size);
      if (random.chance(0.4)) size.tooMuch(asked);
      else size.fine(asked);
      expect(size.size).toBeGreaterThanOrEqual(1);
      expect(size.size).toBeLessThanOrEqual(100);
    }
  });

  it('goes on from what was saved', () => {
    const size = new AdaptiveSize(2_000);
    ask(size, 10, 100);
    const next = new AdaptiveSize(2_000);
    next.restore(size.saved());
    const { refused } = ask(next, 10, 20);
    expect(next.size).toBeLessThanOrEqual(11);
    expect(refused).toBeLessThanOrEqual(1);
  });
});
