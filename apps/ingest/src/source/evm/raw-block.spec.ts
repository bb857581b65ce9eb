import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock } from '#libs/chain/chains/evm/rpc-shapes.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { readEvmHeader } from './raw-block.js';

const hash = (digit: string) => `0x${digit.repeat(64)}`;

describe('the header of a block', () => {
  const endpoint = {
    hashesHeaders: false,
    error: (kind: RpcError['kind'], message: string) => new RpcError(kind, message),
  } as unknown as RpcEndpoint;
  const read = (transactions: unknown) =>
    readEvmHeader(endpoint, {
      ...{ hash: hash('a'), parentHash: hash('b'), number: '0x10', timestamp: '0x20', logsBloom: '0x00' },
      transactions,
    } as unknown as RpcBlock);

  it('is read with transactions that are hashes, or have one', () => {
    expect(read([]).height).toBe(16);
    expect(read([hash('c'), { hash: hash('d') }]).height).toBe(16);
  });

  it.each([[[null]], [[7]], [[{}]], [[{ hash: null }]], [[hash('c'), { hash: 5 }]], [null], ['none']])(
    'is refused with %j as its transactions',
    (transactions) => {
      expect(() => read(transactions)).toThrow('a block without a proper header');
    },
  );
});
