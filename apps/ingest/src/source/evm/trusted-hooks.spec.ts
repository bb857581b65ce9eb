import { keccak256 } from 'viem';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { trustedHooks } from './trusted-hooks.js';

const CODES: Record<string, unknown> = { aa: '0x6001', bb: '0x6002', cc: '0x' };
const endpoint = {
  all: async (calls: { method: string; params: [string, string] }[]) =>
    calls.map(({ method, params }) => {
      expect([method, params[1]]).toEqual(['eth_getCode', 'latest']);
      return CODES[params[0].slice(2, 4)];
    }),
  error: (kind: string, message: string) => new Error(`${kind}: ${message}`),
} as unknown as RpcEndpoint;
const { signal } = new AbortController();
const pinned = (digits: string, code: `0x${string}`) => ({
  address: digits.repeat(20),
  codeHash: keccak256(code).slice(2),
});

describe('hooks of registered launchpads', () => {
  it('are trusted where their code is the pinned one', async () => {
    const pins = [pinned('aa', '0x6001'), pinned('bb', '0x6001'), pinned('cc', '0x6001')];
    expect(await trustedHooks(endpoint, pins, signal)).toEqual(['aa'.repeat(20)]);
    expect(await trustedHooks(endpoint, [], signal)).toEqual([]);
  });

  it('blame a node that answers no code', async () => {
    await expect(trustedHooks(endpoint, [pinned('dd', '0x6001')], signal)).rejects.toThrow('invalid: the code of 0xdd');
  });
});
