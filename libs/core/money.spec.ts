import { formatDecimal, fromNumber, parseDecimal } from './money.js';

describe('numbers that clients write', () => {
  test.each([
    [0, 18, 0n],
    [100.1, 18, 100_100_000_000_000_000_000n],
    [1e21, 2, 10n ** 23n],
    [1.5e300, 0, 15n * 10n ** 299n],
    [2.5e-7, 18, 250_000_000_000n],
    [1e-30, 18, 0n],
    [0.129, 2, 12n],
  ])('%p at %p digits', (value, scale, scaled) => {
    expect(fromNumber(value, scale)).toBe(scaled);
  });

  test('a decimal in a number comes back exactly', () => {
    for (const text of ['0.000001', '12.75', '98765.4321']) {
      expect(formatDecimal(fromNumber(Number(text), 18), 18)).toBe(text);
      expect(parseDecimal(text, 18)).toBe(fromNumber(Number(text), 18));
    }
  });
});
