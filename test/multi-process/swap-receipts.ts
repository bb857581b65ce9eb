import type { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';

/**
 * What a chain's receipts say of its swaps, read by nothing but the event topics: the independent side of a comparison.
 * A trade's id is its transaction and its number among the swaps of that transaction.
 */
const SWAP_TOPICS = new Set([
  // Swap(address,uint256,uint256,uint256,uint256,address): Uniswap V2
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  // Swap(address,address,int256,int256,uint160,uint128,int24): Uniswap V3
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  // Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24): Uniswap V4
  '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
  // CurveTrade(address,address,int256,int256,uint256,uint256): curves of the launchpad
  '0xa039a7034dec7d8139f9f776cd0f6d3d490082fc4e3bc3c28958057f6f875f6d',
]);

interface Receipt {
  transactionHash: string;
  logs: { topics: string[] }[];
}

export async function headOf(rpc: AnvilRpc): Promise<{ height: number; hash: string }> {
  const block = await rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
  return { height: Number(block.number), hash: block.hash };
}

/** Ids of all swaps from genesis to the head, sorted. */
export async function swapIds(rpc: AnvilRpc): Promise<string[]> {
  const { height } = await headOf(rpc);
  const ids: string[] = [];
  for (let from = 0; from <= height; from += 50) {
    const heights = Array.from({ length: Math.min(50, height - from + 1) }, (_, i) => `0x${(from + i).toString(16)}`);
    const blocks = await rpc.batch(heights.map((block) => ({ method: 'eth_getBlockReceipts', params: [block] })));
    for (const receipt of (blocks as Receipt[][]).flat()) {
      const swaps = receipt.logs.filter(({ topics }) => SWAP_TOPICS.has(topics[0]!));
      ids.push(...swaps.map((_, i) => `${receipt.transactionHash}-${i}`));
    }
  }
  return ids.sort();
}
