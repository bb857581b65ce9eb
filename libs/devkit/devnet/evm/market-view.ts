import { decodeAbiParameters, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { AnvilRpc, ViewCall } from './anvil-rpc.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import { ERC20_ABI, MULTICALL_ABI, PAIR_ABI, POOL_ABI } from './periphery-abi.js';

/** What traders see before a block: every pool's price and depth, and what some wallets hold. Floats suffice here. */
export interface PoolView {
  pool: ChainPool;
  /** Base units of token1 for one base unit of token0. */
  price: number;
  /** Base units of each side near the price; on V3 the virtual reserves of the active liquidity. */
  depth0: bigint;
  depth1: bigint;
  tick: number;
}

export interface MarketView {
  pools: PoolView[];
  /** By `wallet token`. */
  balances: Map<string, bigint>;
  /** Ether by wallet. */
  ether: Map<string, bigint>;
}

const RESERVES = encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' });
const SLOT0 = encodeFunctionData({ abi: POOL_ABI, functionName: 'slot0' });
const LIQUIDITY = encodeFunctionData({ abi: POOL_ABI, functionName: 'liquidity' });
const BALANCE_OF = prepareEncodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf' });
const ETHER_OF = prepareEncodeFunctionData({ abi: MULTICALL_ABI, functionName: 'getEthBalance' });
const TWO = [{ type: 'uint256' }, { type: 'uint256' }] as const;

export async function readMarket(
  rpc: AnvilRpc,
  pools: readonly ChainPool[],
  tokens: readonly ChainToken[],
  wallets: readonly string[],
): Promise<MarketView> {
  const calls: ViewCall[] = [];
  for (const { address, version } of pools) {
    if (version === 'v2') calls.push({ to: address, data: RESERVES });
    else calls.push({ to: address, data: SLOT0 }, { to: address, data: LIQUIDITY });
  }
  for (const wallet of wallets) {
    const args = [wallet as Hex] as const;
    const data = encodeFunctionData({ ...BALANCE_OF, args });
    for (const { address } of tokens) calls.push({ to: address, data });
    calls.push({ to: OFFICIAL.multicall3, data: encodeFunctionData({ ...ETHER_OF, args }) });
  }
  const answers = await rpc.view(calls);
  let at = 0;
  const next = (): Hex => {
    const answer = answers[at++];
    if (!answer) throw new Error(`view call to ${calls[at - 1]?.to} failed`);
    return answer;
  };
  const views = pools.map((pool): PoolView => {
    const [first, second] = decodeAbiParameters(TWO, next());
    if (pool.version === 'v2') {
      return { pool, price: Number(second) / Number(first), depth0: first, depth1: second, tick: 0 };
    }
    const liquidity = BigInt(next());
    const root = Number(first) / 2 ** 96;
    return {
      pool,
      price: root * root,
      depth0: (liquidity << 96n) / first,
      depth1: (liquidity * first) >> 96n,
      tick: Number(BigInt.asIntN(24, second)),
    };
  });
  const balances = new Map<string, bigint>();
  const ether = new Map<string, bigint>();
  for (const wallet of wallets) {
    for (const { address } of tokens) {
      balances.set(`${wallet} ${address}`, BigInt(next()));
    }
    ether.set(wallet, BigInt(next()));
  }
  return { pools: views, balances, ether };
}
