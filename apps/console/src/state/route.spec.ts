import { parseRoute, swapLink, tokenLink, tokensLink, walletLink } from './route.js';

const usual = {
  ...{ interval: '1m', currency: 'usd', scale: 'linear', pool: 'primary', compared: null },
  ...{ side: null, minUsd: null },
};
const list = { sorting: { column: 'volume', order: 'desc' }, least: {} };

describe('routes', () => {
  it.each([
    ['', { page: 'tokens', chain: null, list }],
    ['#', { page: 'tokens', chain: null, list }],
    ['#/', { page: 'tokens', chain: null, list }],
    ['#/?x=1', { page: 'tokens', chain: null, list }],
    ['#/tokens/sol', { page: 'tokens', chain: 'sol', list }],
    [
      '#/tokens/sol?sort=price&minHolders=5',
      { page: 'tokens', chain: 'sol', list: { sorting: { column: 'price', order: 'desc' }, least: { minHolders: 5 } } },
    ],
    ['#/tokens/%', { page: 'unknown', path: '/tokens/%' }],
    ['#/tokens/sol/x', { page: 'unknown', path: '/tokens/sol/x' }],
    ['#/status', { page: 'status' }],
    ['#/token/eth/0xAb', { page: 'token', chain: 'eth', address: '0xAb', shown: usual }],
    [
      '#/token/eth/0xAb?with=base%3A0x1',
      {
        ...{ page: 'token', chain: 'eth', address: '0xAb' },
        shown: { ...usual, compared: { chain: 'base', address: '0x1' } },
      },
    ],
    ['#/token/eth/0xAb?with=base', { page: 'token', chain: 'eth', address: '0xAb', shown: usual }],
    ['#/token/eth', { page: 'unknown', path: '/token/eth' }],
    ['#/token/eth/0x1/more', { page: 'unknown', path: '/token/eth/0x1/more' }],
    ['#/token/%/0x1', { page: 'unknown', path: '/token/%/0x1' }],
    ['#/wallet/sol/Ab1', { page: 'wallet', chain: 'sol', address: 'Ab1' }],
    ['#/launches', { page: 'boards', board: 'new' }],
    ['#/launches/graduating', { page: 'boards', board: 'graduating' }],
    ['#/launches/old', { page: 'unknown', path: '/launches/old' }],
    ['#/trending', { page: 'trending', window: '1h' }],
    ['#/trending/24h', { page: 'trending', window: '24h' }],
    ['#/trending/1h/x', { page: 'unknown', path: '/trending/1h/x' }],
    ['#/wallet/eth', { page: 'unknown', path: '/wallet/eth' }],
    ['#/swap', { page: 'swap', pair: null }],
    ['#/swap/eth/native/0xab', { page: 'swap', pair: { chain: 'eth', input: 'native', output: '0xab' } }],
    ['#/swap/eth/native', { page: 'unknown', path: '/swap/eth/native' }],
    ['#/swap/eth/a/b/c', { page: 'unknown', path: '/swap/eth/a/b/c' }],
    ['#/swap/eth/%/b', { page: 'unknown', path: '/swap/eth/%/b' }],
    ['#/receipts', { page: 'receipts' }],
    ['#/launch', { page: 'launch' }],
    ['#/launch/x', { page: 'unknown', path: '/launch/x' }],
    ['#/receipts/x', { page: 'unknown', path: '/receipts/x' }],
    ['#/nothing', { page: 'unknown', path: '/nothing' }],
  ])('%p', (fragment, expected) => expect(parseRoute(fragment)).toEqual(expected));

  it('finds back from its own links', () => {
    expect(parseRoute(tokenLink('a/b', 'c?d%'))).toEqual({
      ...{ page: 'token', chain: 'a/b', address: 'c?d%', shown: usual },
    });
    expect(parseRoute(walletLink('a/b', 'c?d%'))).toEqual({ page: 'wallet', chain: 'a/b', address: 'c?d%' });
    expect(parseRoute(tokensLink(null))).toEqual({ page: 'tokens', chain: null, list });
    expect(parseRoute(tokensLink('a/b'))).toEqual({ page: 'tokens', chain: 'a/b', list });
    const pair = { chain: 'a/b', input: '#', output: 'c?d%' };
    expect(parseRoute(swapLink(pair))).toEqual({ page: 'swap', pair });
  });
});
