import fc from 'fast-check';
import { scaled } from '#libs/devkit/testing/seeded-random.js';
import {
  bpsText,
  differenceInHundredths,
  exactAmount,
  parseAmount,
  parseSlippage,
  rateText,
  shownAmount,
  slippageText,
} from './units.js';

const RUNS = scaled(10_000, 100);

describe('amounts people type', () => {
  it.each([
    ['1', 18, 10n ** 18n],
    ['0.000000000000000001', 18, 1n],
    ['1.5', 6, 1_500_000n],
    ['.5', 6, 500_000n],
    ['5.', 6, 5_000_000n],
    [' 12 000.25 ', 6, 12_000_250_000n],
    ['1,234,567.5', 1, 12_345_675n],
    ['007', 0, 7n],
    ['1.500000000', 1, 15n],
    ['9007199254740993', 0, 9007199254740993n],
    [(2n ** 256n - 1n).toString(), 0, 2n ** 256n - 1n],
  ])('%p with %i decimals is exact', (text, decimals, units) => expect(parseAmount(text, decimals)).toEqual({ units }));

  it.each([
    ['', 18, 'Enter an amount'],
    ['.', 18, 'digits'],
    ['1e3', 18, 'digits'],
    ['-1', 18, 'digits'],
    ['0x10', 18, 'digits'],
    ['1,5', 18, 'digits'],
    ['1.2.3', 18, 'digits'],
    ['0.00', 18, 'zero'],
    ['0.0000001', 6, '6 decimals'],
    ['1.5', 0, 'no decimals'],
    [(2n ** 256n).toString(), 0, 'larger'],
  ])('%p with %i decimals is refused', (text, decimals, word) =>
    expect(parseAmount(text, decimals)).toEqual({ trouble: expect.stringContaining(word) }),
  );

  it('come back unchanged', () => {
    const units = fc.bigInt(1n, 2n ** 256n - 1n);
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 60 }), (amount, decimals) => {
        expect(parseAmount(exactAmount(amount, decimals), decimals)).toEqual({ units: amount });
      }),
      { numRuns: RUNS, verbose: 1 },
    );
  });
});

describe('amounts people read', () => {
  it.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [1_234_567_891n, 6, '1,234.567'],
    [1_234_567_891_999_999n, 6, '1,234,567,891.99'],
    [999_999_999n, 6, '999.9999'],
    [1_999_999_999n, 9, '1.999999'],
    [123_456_789n, 18, '0.0000000001234567'],
    [-1_500_000n, 6, '−1.5'],
    [42n, 0, '42'],
  ])('%s of %i decimals is %s', (units, decimals, text) => expect(shownAmount(units, decimals)).toBe(text));

  it('never promise more than there is, and leave out less than a millionth', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 40n), fc.integer({ min: 0, max: 30 }), (units, decimals) => {
        const shown = parseAmount(shownAmount(units, decimals), decimals);
        const kept = 'units' in shown ? shown.units : 0n;
        expect(kept <= units).toBe(true);
        expect((units - kept) * 1_000_000n <= units).toBe(true);
      }),
      { numRuns: RUNS, verbose: 1 },
    );
  });
});

describe('slippage', () => {
  it.each([
    ['0.5', 50],
    ['0,5 %', 50],
    ['1', 100],
    ['100', 10_000],
    ['0', 0],
    ['12.34', 1_234],
  ])('%p is %i basis points', (text, bps) => {
    expect(parseSlippage(text)).toEqual({ bps });
    expect(parseSlippage(slippageText(bps))).toEqual({ bps });
  });

  it.each(['', '-1', '100.01', '0.005', '1e1', 'x'])('%p is refused', (text) =>
    expect(parseSlippage(text)).toHaveProperty('trouble'),
  );
});

describe('differences', () => {
  it.each([
    [10_001n, 10_000n, '+1 bps'],
    [9_999n, 10_000n, '−1 bps'],
    [1_000_125n, 1_000_000n, '+1.25 bps'],
    [5n, 5n, '0 bps'],
    [5n, 0n, '—'],
    [10n ** 30n - 1n, 10n ** 30n, '0 bps'],
  ])('%s instead of %s is %s', (executed, quoted, text) =>
    expect(bpsText(differenceInHundredths(executed, quoted))).toBe(text),
  );
});

describe('rates', () => {
  it.each([
    [{ units: 10n ** 18n, decimals: 18 }, { units: 3_150_123_456n, decimals: 6 }, '3,150.123'],
    [{ units: 3_000_000_000n, decimals: 6 }, { units: 10n ** 18n, decimals: 18 }, '0.0003333333'],
    [{ units: 10n ** 9n, decimals: 0 }, { units: 1n, decimals: 0 }, '0.000000001'],
    [{ units: 0n, decimals: 6 }, { units: 1n, decimals: 0 }, null],
  ])('%j for %j', (from, to, text) => expect(rateText(from, to)).toBe(text));
});
