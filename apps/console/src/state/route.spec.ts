import { parseRoute, swapLink, tokenLink, tokensLink } from './route.js';

describe('routes', () => {
  it.each([
    ['', { page: 'tokens', chain: null }],
    ['#', { page: 'tokens', chain: null }],
    ['#/', { page: 'tokens', chain: null }],
    ['#/?x=1', { page: 'tokens', chain: null }],
    ['#/tokens/sol', { page: 'tokens', chain: 'sol' }],
    ['#/tokens/%', { page: 'unknown', path: '/tokens/%' }],
    ['#/tokens/sol/x', { page: 'unknown', path: '/tokens/sol/x' }],
    ['#/status', { page: 'status' }],
    ['#/token/eth/0xAb', { page: 'token', chain: 'eth', address: '0xAb' }],
    ['#/token/eth', { page: 'unknown', path: '/token/eth' }],
    ['#/token/eth/0x1/more', { page: 'unknown', path: '/token/eth/0x1/more' }],
    ['#/token/%/0x1', { page: 'unknown', path: '/token/%/0x1' }],
    ['#/swap', { page: 'swap', pair: null }],
    ['#/swap/eth/native/0xab', { page: 'swap', pair: { chain: 'eth', input: 'native', output: '0xab' } }],
    ['#/swap/eth/native', { page: 'unknown', path: '/swap/eth/native' }],
    ['#/swap/eth/a/b/c', { page: 'unknown', path: '/swap/eth/a/b/c' }],
    ['#/swap/eth/%/b', { page: 'unknown', path: '/swap/eth/%/b' }],
    ['#/receipts', { page: 'receipts' }],
    ['#/receipts/x', { page: 'unknown', path: '/receipts/x' }],
    ['#/nothing', { page: 'unknown', path: '/nothing' }],
  ])('%p', (fragment, expected) => expect(parseRoute(fragment)).toEqual(expected));

  it('finds back from its own links', () => {
    expect(parseRoute(tokenLink('a/b', 'c?d%'))).toEqual({ page: 'token', chain: 'a/b', address: 'c?d%' });
    expect(parseRoute(tokensLink(null))).toEqual({ page: 'tokens', chain: null });
    expect(parseRoute(tokensLink('a/b'))).toEqual({ page: 'tokens', chain: 'a/b' });
    const pair = { chain: 'a/b', input: '#', output: 'c?d%' };
    expect(parseRoute(swapLink(pair))).toEqual({ page: 'swap', pair });
  });
});
