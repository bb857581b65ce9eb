import { encodeFunctionData, type Hex } from 'viem';
import type { AnvilRpc } from './anvil-rpc.js';
import { ERC20_ABI, MAX_UINT256 } from './periphery-abi.js';
import type { Outgoing } from './transaction-sender.js';

/** What a wallet does in a block, and the approvals that it needs: [token, spender]. */
export interface Action {
  from: string;
  transactions: Outgoing[];
  approvals: [string, string][];
}

/** The actions' transactions, behind the approvals that their wallets have not given yet. */
export async function withApprovals(rpc: AnvilRpc, actions: readonly Action[]): Promise<Outgoing[]> {
  const needed = actions.flatMap(({ from, approvals }) =>
    approvals.map(([token, spender]) => ({ from, token, spender })),
  );
  const allowances = await rpc.view(
    needed.map(({ from, token, spender }) => ({
      to: token,
      data: encodeFunctionData({ abi: ERC20_ABI, functionName: 'allowance', args: [from as Hex, spender as Hex] }),
    })),
  );
  const missing = needed.filter((_, i) => BigInt(allowances[i] ?? '0x0') === 0n);
  return actions.flatMap(({ from, transactions }) => [
    ...missing
      .filter((approval) => approval.from === from)
      .map(({ token, spender }) => ({
        from,
        to: token,
        data: encodeFunctionData({
          abi: ERC20_ABI,
          functionName: 'approve',
          args: [spender as Hex, MAX_UINT256],
        }),
        gas: 120_000,
      })),
    ...transactions,
  ]);
}
