import { encodeFunctionData, type Hex } from 'viem';
import { ERC20_ABI } from './periphery-abi.js';
import type { Outgoing } from './transaction-sender.js';

/**
 * Coins and tokens for a wallet, from the account that made the market. By transactions: a balance that is only set is
 * lost when a reorg goes below that block.
 */
export interface Funding {
  /** Native coins on top of what the wallet has. */
  eth?: bigint;
  tokens?: readonly { token: string; amount: bigint }[];
}

export function fundingTransactions(from: string, wallet: string, { eth = 0n, tokens = [] }: Funding): Outgoing[] {
  const coins = eth > 0n ? [{ from, to: wallet, value: eth, gas: 100_000 }] : [];
  const transfers = tokens.map(({ token, amount }) => ({
    from,
    to: token,
    data: encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [wallet as Hex, amount] }),
    gas: 200_000,
  }));
  return [...coins, ...transfers];
}
