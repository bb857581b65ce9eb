import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { closingTrade } from './closing-trade.js';
import { pegAt } from './peg.js';

const HOUR = 3600;

test.each(propertySeeds(4))(
  'a stable loses its peg once in six hours and has it back at their end (seed %i)',
  (seed) => {
    const worth = Array.from({ length: 6 * 360 }, (_, n) => pegAt(seed, n * 10));
    const least = Math.min(...worth);
    expect(least).toBeGreaterThan(0.92);
    expect(least).toBeLessThan(0.976);
    expect(Math.max(...worth)).toBe(1);
    expect(worth.slice(0, 700).every((one) => one === 1)).toBe(true);
    expect(worth.at(-1)).toBe(1);
    for (let n = 1; n < worth.length; n++) expect(Math.abs(worth[n]! - worth[n - 1]!)).toBeLessThan(0.003);
    expect(pegAt(seed, 10 * HOUR)).toBe(pegAt(seed, 10 * HOUR));
  },
);

test('a pool within its fee of the fair price is left alone, one beyond is brought to the edge', () => {
  const depth = 10n ** 24n;
  const at = (price: number) => ({ price, depth0: depth, depth1: BigInt(Math.round(price * 1e6)) * 10n ** 18n });
  expect(closingTrade(at(1.0029), 1, 0.003)).toBeNull();
  expect(closingTrade(at(0.9972), 1, 0.003)).toBeNull();
  for (const price of [1.02, 1.009, 0.985, 0.99]) {
    const { zeroForOne, amountIn } = closingTrade(at(price), 1, 0.003)!;
    expect(zeroForOne).toBe(price > 1);
    const pool = at(price);
    const taken = (Number(amountIn) * 0.997) / Number(zeroForOne ? pool.depth0 : pool.depth1);
    const after = zeroForOne ? price / (1 + taken) ** 2 : price * (1 + taken) ** 2;
    expect(after).toBeCloseTo(zeroForOne ? 1 / 0.997 : 0.997, 6);
  }
});
