import { parseTokenAddress, type TokenAddress, tokenQuery, USUAL_TOKEN } from './token-address.js';

describe('the address of a token', () => {
  it('says nothing of the usual page', () => {
    expect(parseTokenAddress('#/token/eth/0x1')).toEqual(USUAL_TOKEN);
    expect(tokenQuery(USUAL_TOKEN)).toBe('');
  });

  it('finds back from what it wrote', () => {
    const address: TokenAddress = {
      interval: '5m',
      currency: 'native',
      scale: 'log',
      pool: null,
      compared: { chain: 'base', address: '0x1' },
      side: 'sell',
      minUsd: 1_500,
    };
    expect(tokenQuery(address)).toBe(
      '?interval=5m&currency=native&scale=log&pool=all&with=base%3A0x1&side=sell&minUsd=1500',
    );
    expect(parseTokenAddress(`#/token/eth/0x2${tokenQuery(address)}`)).toEqual(address);
  });

  it.each([
    '#/token/eth/0x1?interval=7m&currency=eur&scale=up&with=base&side=up&minUsd=-1&pool=',
    '#/token/eth/0x1?with=:0x1&more=1',
  ])('leaves out what it does not know: %s', (fragment) => {
    expect(parseTokenAddress(fragment)).toEqual(USUAL_TOKEN);
  });
});
