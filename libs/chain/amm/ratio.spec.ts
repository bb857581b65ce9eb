import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { sqrtPriceX96 } from './ratio.js';

test('the root is the greatest integer whose square is not above the ratio', () => {
  expect(sqrtPriceX96({ numerator: 1n, denominator: 1n })).toBe(1n << 96n);
  expect(sqrtPriceX96({ numerator: 4n, denominator: 1n })).toBe(1n << 97n);
  expect(sqrtPriceX96({ numerator: 1n, denominator: 4n })).toBe(1n << 95n);
});

test('what is no price, and what the field does not hold, is null', () => {
  const limit = 1n << 128n;
  for (const [numerator, denominator] of [
    [0n, 1n],
    [1n, 0n],
    [-1n, 1n],
    [1n, -1n],
    [0n, 0n],
    [limit, 1n],
    [1n, 1n << 200n],
  ] as const) {
    expect(sqrtPriceX96({ numerator, denominator })).toBeNull();
  }
  expect(sqrtPriceX96({ numerator: limit - 1n, denominator: 1n })).toBe((1n << 160n) - (1n << 31n) - 1n);
});

test.each(propertySeeds(scaled(100, 10)))('it is exact for ratios of any size (seed %i)', (seed) => {
  const random = new SeededRandom(seed);
  const number = (): bigint => BigInt(`0x${random.hex(random.int(1, 16))}`) + 1n;
  for (let n = 0; n < 200; n++) {
    const [numerator, denominator] = [number(), number()];
    const root = sqrtPriceX96({ numerator, denominator });
    if (root === null) {
      expect(numerator / denominator >= 1n << 128n || (numerator << 192n) / denominator === 0n).toBe(true);
      continue;
    }
    const square = numerator << 192n;
    expect(root * root * denominator <= square && (root + 1n) ** 2n * denominator > square).toBe(true);
  }
});
