import type { RpcCall, RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import { hashOf } from './code-check.js';

/**
 * Reads the runtime code of many contracts at one block. Code is long and hardly ever changes, so it first asks the chain
 * for the hashes alone; code whose hash is unchanged is not read again. A node that cannot answer hashes is asked for the
 * code each time.
 */
export class CodeReader {
  private readonly last = new Map<Hex, { hash: Hex; code: string }>();

  async read(
    endpoint: RpcEndpoint,
    addresses: readonly Hex[],
    block: { blockHash: string },
    signal?: AbortSignal,
  ): Promise<Map<Hex, string>> {
    const distinct = [...new Set(addresses)];
    const hashes = this.last.size === 0 ? null : await readHashes(endpoint, distinct, block, signal);
    const unknown = distinct.filter((address, n) => hashes === null || this.last.get(address)?.hash !== hashes[n]);
    const calls = unknown.map((address): RpcCall => ({ method: 'eth_getCode', params: [`0x${address}`, block] }));
    const codes = await endpoint.all<unknown>(calls, signal);
    unknown.forEach((address, n) => {
      const code = codeBytesOf(endpoint, codes[n]);
      this.last.set(address, { hash: hashOf(Buffer.from(code, 'hex')), code });
    });
    return new Map(distinct.map((address) => [address, this.last.get(address)!.code]));
  }
}

const WORD = 64;

/** EXTCODEHASH of each address, by code that is run as if it created a contract; null where the node does not do that. */
async function readHashes(
  endpoint: RpcEndpoint,
  addresses: readonly Hex[],
  block: { blockHash: string },
  signal?: AbortSignal,
): Promise<Hex[] | null> {
  const call = { data: `0x${hashProgram(addresses)}`, gas: '0xf4240' };
  try {
    const answer = codeBytesOf(endpoint, await endpoint.call<unknown>('eth_call', [call, block], signal));
    if (answer.length !== addresses.length * WORD) return null;
    return addresses.map((_, n) => answer.slice(n * WORD, (n + 1) * WORD));
  } catch (error) {
    // By one of these a node says that it does not take such a call.
    if (error instanceof RpcError && (error.kind === 'reverted' || error.maybeMethod)) return null;
    throw error;
  }
}

/** PUSH20 address, EXTCODEHASH, PUSH2 place, MSTORE for each; then PUSH2 length, PUSH1 0, RETURN. */
function hashProgram(addresses: readonly Hex[]): string {
  const short = (value: number): string => value.toString(16).padStart(4, '0');
  const steps = addresses.map((address, n) => `73${address}3f61${short(n * 32)}52`);
  return `${steps.join('')}61${short(addresses.length * 32)}6000f3`;
}

export function codeBytesOf(endpoint: RpcEndpoint, result: unknown): string {
  if (typeof result !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(result)) {
    throw endpoint.error('invalid', 'an answer that is no byte string');
  }
  return result.slice(2).toLowerCase();
}
