import { keccakHex } from '#libs/devkit/chain-builder/keccak-hex.js';
import type { AnvilRpc } from './anvil-rpc.js';
import type { ExchangeSites } from './market-plan.js';

/**
 * Runtime code by contract, as an operator would pin it: address and keccak-256 of the code with its immutables, both
 * lower-case hex without prefix.
 */
export async function readCodePins(rpc: AnvilRpc, sites: ExchangeSites): Promise<Map<string, string>> {
  const { wrapped, v2Factory, v2Router, v3Factory, v3Router, quoterV2 } = sites;
  const addresses = [wrapped, v2Factory, v2Router, v3Factory, v3Router, quoterV2];
  const codes = (await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  )) as string[];
  return new Map(addresses.map((address, i) => [address.slice(2), keccakHex((codes[i] as string).slice(2))]));
}
