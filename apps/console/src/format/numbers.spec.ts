import { amount, bytes, compact, compactUsd, direction, percent, price, shortId, usd, whole } from './numbers.js';

describe('numbers', () => {
  it.each([
    [null, '—'],
    [Number.NaN, '—'],
    [0, '0.00'],
    [3150.4249, '3,150.42'],
    [99.999999, '100.00'],
    [7.2034, '7.2034'],
    [0.83125, '0.83125'],
    [0.021344, '0.021344'],
    [0.00012345, '0.00012345'],
    [0.0000123, '0.0₄1230'],
    [0.00000000000456789, '0.0₁₁4568'],
    [-0.0000123, '−0.0₄1230'],
    [2.5e9, '2.50B'],
  ])('price %p is %s', (value, text) => expect(price(value)).toBe(text));

  it('carries a rounding into the count of zeros', () => {
    expect(price(0.0000099999)).toBe('0.0₄1000');
    expect(price(0.000099999999)).toBe('0.00010000');
  });

  it.each([
    [null, '—'],
    [0, '0'],
    [0.001, '<0.01'],
    [1.5, '1.50'],
    [999.4, '999'],
    [1000, '1.00K'],
    [12_340, '12.3K'],
    [999_999, '1.00M'],
    [4_560_000, '4.56M'],
    [7.8e12, '7.80T'],
    [-1500, '−1.50K'],
  ])('compact %p is %s', (value, text) => expect(compact(value)).toBe(text));

  it('puts the currency behind the minus', () => {
    expect(usd(-2)).toBe('−$2.0000');
    expect(usd(null)).toBe('—');
    expect(compactUsd(1_250_000)).toBe('$1.25M');
  });

  it.each([
    [null, '—', 'flat'],
    [0, '0.00%', 'flat'],
    [0.004, '0.00%', 'flat'],
    [-0.004, '0.00%', 'flat'],
    [1.234, '+1.23%', 'up'],
    [-12.3, '−12.30%', 'down'],
    [12_345.6, '+12,346%', 'up'],
  ])('percent %p is %s, %s', (value, text, way) => {
    expect(percent(value)).toBe(text);
    expect(direction(value)).toBe(way);
  });

  it('shortens what is long and nothing else', () => {
    expect(amount('123456.789')).toBe('123K');
    expect(amount('0.00001234')).toBe('0.0₄1234');
    expect(amount('0')).toBe('0');
    expect(amount(null)).toBe('—');
    expect(whole(1234567)).toBe('1,234,567');
    expect(bytes(999)).toBe('999 B');
    expect(bytes(1_536_000)).toBe('1.54 MB');
    expect(bytes(null)).toBe('—');
    expect(shortId('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')).toBe('0xc02a…6cc2');
    expect(shortId('So11111111111111111111111111111111111111112')).toBe('So11…1112');
    expect(shortId('short')).toBe('short');
  });
});
