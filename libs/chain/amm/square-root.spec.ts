import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { squareRoot } from './square-root.js';

describe('square root', () => {
  it('is the largest whole root of small numbers, of squares and of their neighbours', () => {
    expect([0n, 1n, 2n, 3n, 4n, 8n, 9n, 15n, 16n].map(squareRoot)).toEqual([0n, 1n, 1n, 1n, 2n, 2n, 3n, 3n, 4n]);
    for (const seed of propertySeeds(scaled(2_000))) {
      const random = new SeededRandom(seed);
      const root = BigInt(`0x${random.hex(random.int(1, 40))}`) + 1n;
      const seen = [root * root - 1n, root * root, root * root + 2n * root].map(squareRoot);
      expect({ seed, seen }).toEqual({ seed, seen: [root - 1n, root, root] });
    }
  });
});
