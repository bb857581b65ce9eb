import type { RpcAnswer, RpcCall, RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { type Fees } from '../model/built-swap.js';
import { type ContractCall } from '../model/contract-call.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { FEE_CALLS, readQuantity, suggestFees } from './fees.js';
import type { BuildHead } from './simulation.js';
import { allowanceCall, balanceCall, readUint } from './token-calls.js';

/** The head, and what the wallet has there, read in one exchange. A value is null where a token does not answer. */
export interface EvmWalletState {
  readonly head: BuildHead;
  readonly fees: Fees;
  readonly native: bigint;
  /** Balance of the token that goes in; null for the native coin as well. */
  readonly balance: bigint | null;
  readonly allowance: bigint | null;
}

export type WalletPlan = Pick<EvmSwapPlan, 'wallet' | 'tokenIn' | 'target'> & { readonly venue: object | null };

export async function readWallet(
  endpoint: RpcEndpoint,
  plan: WalletPlan,
  signal: AbortSignal,
): Promise<EvmWalletState> {
  const views: ContractCall[] = [];
  if (plan.tokenIn !== null) {
    views.push(balanceCall(plan.tokenIn, plan.wallet));
    if (plan.venue !== null) views.push(allowanceCall(plan.tokenIn, plan.wallet, plan.target));
  }
  const calls: RpcCall[] = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getBalance', params: [`0x${plan.wallet}`, 'latest'] },
    ...FEE_CALLS,
    ...views.map(({ to, data }) => ({
      method: 'eth_call',
      params: [{ from: `0x${plan.wallet}`, to: `0x${to}`, data: `0x${data}` }, 'latest'],
    })),
  ];
  const [block, balance, history, tip, ...tokens] = await endpoint.batch(calls, signal);
  const head = readHead(endpoint, whole(block!));
  const native = readQuantity(whole(balance!));
  if (native === null) throw endpoint.error('invalid', 'a balance that is no quantity');
  const values = tokens.map((answer) => readUint(viewed(answer)));
  return {
    head,
    fees: suggestFees([history!, tip!], head.baseFee),
    native,
    balance: values[0] ?? null,
    allowance: values[1] ?? null,
  };
}

function readHead(endpoint: RpcEndpoint, block: unknown): BuildHead {
  const { number, hash, timestamp, baseFeePerGas } = (block ?? {}) as Record<string, unknown>;
  const height = readQuantity(number);
  const time = readQuantity(timestamp);
  if (height === null || time === null || typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) {
    throw endpoint.error('invalid', 'a block without number, hash or timestamp');
  }
  const id = hash.slice(2).toLowerCase();
  return { number: Number(height), hash: id, time: Number(time), baseFee: readQuantity(baseFeePerGas) ?? 0n };
}

function whole(answer: RpcAnswer): unknown {
  if (answer.error) throw answer.error;
  return answer.result;
}

/** A revert is the token's own answer; a failure of the node is thrown. */
function viewed(answer: RpcAnswer): Hex | null {
  if (answer.error?.kind === 'reverted') return null;
  const result = whole(answer);
  return typeof result === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(result) ? result.slice(2).toLowerCase() : null;
}
