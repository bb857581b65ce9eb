import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { simulateCall } from '../../evm/build/simulate-call.js';
import { simulateV1 } from '../../evm/build/simulate-v1.js';
import { type BuildHead, onHead, type SimulationStep, type StepResult } from '../../evm/build/simulation.js';
import { type EvmWalletState, readWallet } from '../../evm/build/wallet-state.js';
import type { Fees } from '../../evm/model/built-swap.js';
import type { ContractCall } from '../../evm/model/contract-call.js';
import { createSimulationFailed, insufficientFunds } from '../launch-problem.js';

/** A fifth on top for what moves until the transaction is mined. */
const MARGIN = 5n;

/** What one build is made of: the head, the creator there, and a way to try steps on it. */
export interface HeadBuild {
  readonly wallet: EvmWalletState;
  run(steps: readonly SimulationStep[]): Promise<StepResult[]>;
}

/** Runs work on the node's head, again where that head is retracted meanwhile. */
export const atHead = <T>(
  endpoint: RpcEndpoint,
  creator: Hex,
  signal: AbortSignal,
  work: (build: HeadBuild) => Promise<T>,
): Promise<T> =>
  onHead(endpoint, async () => {
    const plan = { wallet: creator, tokenIn: null, target: creator, venue: null };
    const wallet = await readWallet(endpoint, plan, signal);
    return work({ wallet, run: (steps) => simulated(endpoint, creator, steps, wallet.head, signal) });
  });

async function simulated(
  endpoint: RpcEndpoint,
  creator: Hex,
  steps: readonly SimulationStep[],
  head: BuildHead,
  signal: AbortSignal,
): Promise<StepResult[]> {
  try {
    return await simulateV1.run(endpoint, creator, steps, head, signal);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.kind === 'reverted') throw createSimulationFailed('the node refuses the sequence');
    if (!error.maybeMethod) throw error;
    return simulateCall.run(endpoint, creator, steps, head, signal);
  }
}

/** The coins that a call takes along must be there, before anything is tried. */
export function requireValue({ native }: EvmWalletState, value: bigint): void {
  if (native < value) throw insufficientFunds(`the creator has ${native} wei and needs ${value} for the first buy`);
}

export interface PricedCall {
  readonly transaction: EvmTransaction;
  readonly gasCost: bigint;
}

/** A call with gas and fees, as it is signed; refused where the creator cannot pay for it. */
export function priced(
  chainId: number,
  creator: Hex,
  call: ContractCall,
  { gasNeeded }: StepResult,
  { native, fees }: EvmWalletState,
  description: string,
): PricedCall {
  const gas = gasNeeded + gasNeeded / MARGIN;
  const gasCost = gas * fees.maxFeePerGas;
  const needed = call.value + gasCost;
  if (native < needed) {
    const parts = call.value === 0n ? '' : `: ${call.value} for the first buy and ${gasCost} for gas`;
    throw insufficientFunds(`the creator has ${native} wei and needs ${needed}${parts}`);
  }
  return { transaction: transactionOf(chainId, creator, call, gas, fees, description), gasCost };
}

const transactionOf = (
  chainId: number,
  creator: Hex,
  { to, data, value }: ContractCall,
  gas: bigint,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  description: string,
): EvmTransaction => ({
  ...{ chainId, from: `0x${creator}`, to: `0x${to}`, data: `0x${data}`, value: quantity(value), gas: quantity(gas) },
  ...{ maxFeePerGas: quantity(maxFeePerGas), maxPriorityFeePerGas: quantity(maxPriorityFeePerGas), type: '0x2' },
  description,
});
