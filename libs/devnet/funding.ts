import { encodeFunctionData, type Hex } from 'viem';
import type { AnvilRpc } from './anvil-rpc.js';
import { ERC20_ABI } from './periphery-abi.js';
import { quantity } from './rpc-shapes.js';
import type { Outgoing } from './transaction-sender.js';

/** Coins and tokens for a wallet: coins from nowhere, tokens from the account that made the market. */
export interface Funding {
  /** Native coins on top of what the wallet has. */
  eth?: bigint;
  tokens?: readonly { token: string; amount: bigint }[];
}

export async function addCoins(rpc: AnvilRpc, wallet: string, amount: bigint): Promise<void> {
  const held = BigInt(await rpc.call<string>('eth_getBalance', [wallet, 'latest']));
  await rpc.call('anvil_setBalance', [wallet, quantity(held + amount)]);
}

export function tokenTransfers(from: string, wallet: string, tokens: Funding['tokens'] = []): Outgoing[] {
  return tokens.map(({ token, amount }) => ({
    from,
    to: token,
    data: encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [wallet as Hex, amount] }),
    gas: 200_000,
  }));
}
