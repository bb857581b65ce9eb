import { ago, longSpan, shortSpan, utcDate, utcDay } from './times.js';

describe('spans', () => {
  it.each([
    [-5, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 m'],
    [3_599_999, '59 m'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
  ])('%p ms is %s', (ms, text) => expect(shortSpan(ms)).toBe(text));

  it.each([
    [44_100, '45 s'],
    [125_000, '2 min 5 s'],
    [7_500_000, '2 h 5 min'],
    [90 * 3_600_000, '3 d 18 h'],
  ])('an outlook of %p ms is %s', (ms, text) => expect(longSpan(ms)).toBe(text));

  it('says how long ago', () => {
    expect(ago(1_000, 1_500)).toBe('just now');
    expect(ago(1_000, 6_500)).toBe('5 s ago');
    expect(ago(9_000, 1_000)).toBe('just now');
  });

  it('names the day of UTC at which a candle begins, without a clock', () => {
    const start = Date.UTC(2026, 10, 28);
    for (const text of [utcDay(start), utcDate(start)]) {
      expect(text).toMatch(/28/);
      expect(text).not.toMatch(/:/);
    }
  });
});
