import { amountOf, listQuery, parseListAddress } from './list-address.js';

describe('the address of a list', () => {
  it('says nothing of the usual list', () => {
    const usual = parseListAddress('#/');
    expect(usual).toEqual({ sorting: { column: 'volume', order: 'desc' }, least: {} });
    expect(listQuery(usual)).toBe('');
  });

  it('finds back from what it wrote', () => {
    const address = {
      sorting: { column: 'change1h', order: 'asc' },
      least: { minLiquidity: 50_000, minHolders: 0 },
    } as const;
    expect(listQuery(address)).toBe('?sort=change1h&order=asc&minLiquidity=50000&minHolders=0');
    expect(parseListAddress(`#/tokens/eth${listQuery(address)}`)).toEqual(address);
  });

  it.each(['#/?sort=nothing&order=up&minLiquidity=much', '#/?minLiquidity=-1&minHolders=1e5&minVolume=NaN&more=1'])(
    'leaves out what it does not know: %s',
    (fragment) => {
      expect(parseListAddress(fragment)).toEqual({ sorting: { column: 'volume', order: 'desc' }, least: {} });
    },
  );

  it.each([
    ['50k', 50_000],
    [' 1.5M ', 1_500_000],
    ['2b', 2e9],
    ['1,000', 1000],
    ['0', 0],
    ['', null],
    ['k', null],
    ['1k5', null],
    ['-3', null],
  ])('reads an amount: %s', (text, value) => expect(amountOf(text)).toBe(value));
});
