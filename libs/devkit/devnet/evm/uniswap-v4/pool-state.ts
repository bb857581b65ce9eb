import { encodeAbiParameters, encodeFunctionData, type Hex, hexToBigInt, keccak256 } from 'viem';
import type { PricedDepth } from '../../closing-trade.js';
import type { AnvilRpc } from '../anvil-rpc.js';
import { POOL_MANAGER_ABI } from './abi.js';
import type { ChainV4Pool } from './chain-pool.js';

/** The manager's slot of the mapping from a pool's id to its state, and where liquidity is behind a state's first slot. */
const POOLS_SLOT = 6n;
const LIQUIDITY_OFFSET = 3n;
const WORD = [{ type: 'bytes32' }, { type: 'uint256' }] as const;

/** Price and depth of V4 pools, in their order, out of the manager's own storage. */
export async function readV4Pools(
  rpc: AnvilRpc,
  poolManager: string,
  pools: readonly ChainV4Pool[],
): Promise<PricedDepth[]> {
  const read = (slot: bigint) => {
    const args = [`0x${slot.toString(16).padStart(64, '0')}`] as const;
    return { to: poolManager, data: encodeFunctionData({ abi: POOL_MANAGER_ABI, functionName: 'extsload', args }) };
  };
  const words = await rpc.view(
    pools.flatMap(({ id }) => {
      const first = hexToBigInt(keccak256(encodeAbiParameters(WORD, [id as Hex, POOLS_SLOT])));
      return [read(first), read(first + LIQUIDITY_OFFSET)];
    }),
  );
  return pools.map((_, n) => {
    const root = BigInt.asUintN(160, BigInt(words[2 * n] ?? '0x0'));
    const liquidity = BigInt(words[2 * n + 1] ?? '0x0');
    const price = (Number(root) / 2 ** 96) ** 2;
    return root === 0n
      ? { price, depth0: 0n, depth1: 0n }
      : { price, depth0: (liquidity << 96n) / root, depth1: (liquidity * root) >> 96n };
  });
}
