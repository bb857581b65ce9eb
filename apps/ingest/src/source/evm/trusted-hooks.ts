import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { PinnedContract } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';

/** The pinned contracts whose code on the chain has the pinned hash. One without code is not there, and not trusted. */
export async function trustedHooks(
  endpoint: RpcEndpoint,
  pinned: readonly PinnedContract[],
  signal: AbortSignal,
): Promise<Hex[]> {
  const codes = await endpoint.all<string>(
    pinned.map(({ address }) => ({ method: 'eth_getCode', params: [`0x${address}`, 'latest'] })),
    signal,
  );
  return pinned.flatMap(({ address, codeHash }, n) => {
    const code = codes[n];
    if (typeof code !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(code)) {
      throw endpoint.error('invalid', `the code of 0x${address} is no byte string`);
    }
    return hashOf(code) === codeHash ? [address] : [];
  });
}

const hashOf = (code: string): Hex => keccak256Hex(Buffer.from(code.slice(2), 'hex'));
