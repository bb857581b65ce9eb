import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChannelDefinition } from '#libs/serve/live/channel.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { openLiveChannels } from '../../test/live-channels.js';

const token = `0x${'aB'.repeat(20)}`;

describe('parameters of the channels', () => {
  // Parameters are checked before anything is read: the reader only says which chain it is of.
  const reader = { chain: chainSpec('eth')!, listen: () => () => undefined } as unknown as ChainReader;
  const solana = { ...reader, chain: chainSpec('sol')! } as ChainReader;
  const { definitions } = openLiveChannels(new Map(Object.entries({ eth: reader, sol: solana })), new Uint8Array(32));
  const channel = (name: string): ChannelDefinition => definitions.find((definition) => definition.name === name)!;
  const outcome = (name: string, params: object): unknown => {
    try {
      return channel(name).resolve({ ...params }).key;
    } catch (error) {
      return `${(error as { code: string }).code}: ${(error as Error).message}`;
    }
  };

  it.each(['trades', 'candles', 'token', 'pairs', 'holders'])('%s: messages to the letter', (name) => {
    expect(outcome(name, {})).toBe('bad_request: chain is required');
    expect(outcome(name, { chain: '' })).toBe('bad_request: chain is required');
    expect(outcome(name, { chain: null, token })).toBe('bad_request: chain is required');
    expect(outcome(name, { chain: 'eth' })).toBe('bad_request: token is required');
    expect(outcome(name, { chain: 'eth', token: '0x12' })).toBe('bad_request: token is not an EVM address');
    expect(outcome(name, { chain: 'eth', token: {} })).toBe('bad_request: token must be text');
    expect(outcome(name, { chain: 'eth', token: 'x'.repeat(201) })).toBe(
      'bad_request: token must have at most 200 characters',
    );
    expect(outcome(name, { chain: 'nowhere', token })).toMatch(/^bad_request: chain: .*eth/);
    expect(outcome(name, { chain: 'base', token })).toMatch(/^not_found: chain base is not indexed/);
  });

  it('takes every spelling of a chain and of an address for the same key', () => {
    const keys = ['eth', 'ETH', 'ethereum', '1', 1, ['eth', 'base']].map((chain) =>
      outcome('trades', { chain, token }),
    );
    expect(new Set([...keys, outcome('trades', { chain: 'eth', token: token.toLowerCase() })]).size).toBe(1);
    expect(outcome('trades', { chain: 'eth', token, interval: 'no such', resume: 1 })).toBe(keys[0]);
  });

  it('prices: a list of tokens in any spelling, each once', () => {
    const tokens = [token, token.toLowerCase(), 'native'];
    const keys = [tokens, tokens.join(','), [tokens.join(', ')]].map((given) =>
      outcome('prices', { chain: 'eth', tokens: given }),
    );
    expect(new Set(keys).size).toBe(1);
    expect(String(keys[0]).split(' ')).toHaveLength(3);
    for (const given of [undefined, null, '', []]) {
      expect(outcome('prices', { chain: 'eth', tokens: given })).toBe('bad_request: tokens is required');
    }
    for (const given of [{}, [token, {}], `${token},`, Array(51).fill(token), ['x'.repeat(201)]]) {
      const message = 'bad_request: tokens must be 1 to 50 addresses';
      expect([given, outcome('prices', { chain: 'eth', tokens: given })]).toEqual([given, message]);
    }
    expect(outcome('prices', { chain: 'eth', tokens: [token, 'abc'] })).toBe('bad_request: abc is not an EVM address');
  });

  it('wallet: an address of its chain, with balances or not', () => {
    const wallet = token;
    const without = outcome('wallet', { chain: 'eth', wallet });
    expect(outcome('wallet', { chain: 'eth', wallet, balances: false })).toBe(without);
    const balances = [true, 'true', '1'].map((given) => outcome('wallet', { chain: 'eth', wallet, balances: given }));
    expect(new Set(balances)).toEqual(new Set([`${without} balances`]));
    expect(outcome('wallet', { chain: 'eth', wallet, balances: 'x' })).toBe(
      'bad_request: balances must be true or false',
    );
    expect(outcome('wallet', { chain: 'sol', wallet })).toBe('bad_request: wallet is not a Solana address');
  });

  it('pairs: of EVM chains alone; trending: a window', () => {
    expect(outcome('pairs', { chain: 'sol', token })).toBe('bad_request: the pairs channel is EVM only');
    expect(outcome('trending', { chain: 'eth' })).toBe(outcome('trending', { chain: 1, window: '1h' }));
    expect(outcome('trending', { chain: 'eth', window: '2h' })).toBe(
      'bad_request: window must be one of 5m, 1h, 6h, 24h',
    );
  });

  it('candles: interval and currency have the defaults and the rules of the route', () => {
    const base = { chain: 'eth', token };
    expect(outcome('candles', base)).toBe(outcome('candles', { ...base, interval: '1m', currency: 'usd' }));
    expect(outcome('candles', { ...base, interval: '1M' })).not.toBe(outcome('candles', base));
    expect(outcome('candles', { ...base, currency: 'native' })).not.toBe(outcome('candles', base));
    expect(outcome('candles', { ...base, interval: '2m' })).toMatch(/^bad_request: interval must be one of 1s, 5s, /);
    expect(outcome('candles', { ...base, currency: 'eur' })).toBe('bad_request: currency must be one of usd, native');
  });
});
