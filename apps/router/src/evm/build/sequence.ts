import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcAnswer, RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { SwapForm } from '#libs/chain/market-ports/evm/swap-routing.js';
import type { Hex } from '#libs/core/ids.js';
import { type ContractCall } from '../model/contract-call.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { readQuantity } from './fees.js';
import { type BuildHead, type SimulationStep, type Simulator, type StepResult } from './simulation.js';
import { quoteCall, quotedOutput, statedOutput, swapCall } from './swap-calls.js';
import { approveCall, balanceCall, readUint } from './token-calls.js';

/** The transactions of one build in one form, and the result of their simulation. */
export interface SequenceForm {
  readonly swap: SwapForm;
  /** Amounts to approve, in order: none, the amount, or zero and then the amount. */
  readonly approvals: readonly bigint[];
  readonly floor: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
}

export interface Outcome {
  readonly form: SequenceForm;
  readonly transactions: readonly ContractCall[];
  /** One for each transaction. */
  readonly results: readonly StepResult[];
  /** What the recipient's balance grew by; null where the balance cannot be read. */
  readonly received: bigint | null;
  /** What the swap returned as its output; null where it returned nothing or failed. */
  readonly stated: bigint | null;
  /** What the path gives at the head before any tax, where a view function says so; null when it gives nothing. */
  readonly untaxed: bigint | null;
  /** The node's own estimate of the first transaction on the untouched state; null when it gave none. */
  readonly firstEstimate: bigint | null;
}

export const swapResult = (outcome: Outcome): StepResult => outcome.results.at(-1)!;

/** The first approval that was refused: reverted, or answered false. */
export function refusedApproval(outcome: Outcome): StepResult | null {
  return outcome.results.slice(0, -1).find((result) => !accepted(result)) ?? null;
}

/** A token accepts with true, or by returning nothing at all. */
export function accepted({ ok, data }: StepResult): boolean {
  return ok && (data === '' || readUint(data) !== 0n);
}

/**
 * Simulates everything that the wallet will send, between two reads of the recipient's balance: the output is measured,
 * never believed.
 */
export async function runSequence(
  endpoint: RpcEndpoint,
  simulator: Simulator,
  plan: EvmSwapPlan,
  form: SequenceForm,
  head: BuildHead,
  signal: AbortSignal,
): Promise<Outcome> {
  const transactions = [
    ...form.approvals.map((amount) => approveCall(plan.tokenIn!, plan.target, amount)),
    swapCall(plan, form.swap, form.floor, form.deadline),
  ];
  const purse: SimulationStep =
    plan.tokenOut === null ? { balanceOf: plan.recipient } : balanceCall(plan.tokenOut, plan.recipient);
  const question = quoteCall(plan);
  const steps: SimulationStep[] = [purse, ...(question === null ? [] : [question]), ...transactions, purse];
  const [results, estimate] = await Promise.all([
    simulator.run(endpoint, plan.wallet, steps, head, signal),
    estimateFirst(endpoint, plan.wallet, transactions[0]!, head, signal),
  ]);
  const own = results.slice(-1 - transactions.length, -1);
  // Only the estimate knows the sender as it is; what it refuses will be refused.
  if (simulator.name === 'eth_call' && estimate.error?.kind === 'reverted' && own[0]!.ok) {
    own[0] = { ...own[0]!, ok: false, data: asRevert(estimate.error.message) };
  }
  const before = balanceIn(results[0]!);
  const after = balanceIn(results.at(-1)!);
  const last = own.at(-1)!;
  return {
    form,
    transactions,
    results: own,
    received: before === null || after === null ? null : after - before,
    stated: last.ok ? statedOutput(plan, form.swap, last.data) : null,
    untaxed: question !== null && results[1]!.ok ? quotedOutput(plan, results[1]!.data) : null,
    firstEstimate: readQuantity(estimate.result),
  };
}

const balanceIn = (result: StepResult): bigint | null => (result.ok ? readUint(result.data) : null);

/**
 * Asks for eth_estimateGas of the first transaction in addition to the simulation: on chains that charge gas for
 * publishing a transaction, only the estimate contains that part.
 */
async function estimateFirst(
  endpoint: RpcEndpoint,
  wallet: Hex,
  first: ContractCall,
  head: BuildHead,
  signal: AbortSignal,
): Promise<RpcAnswer> {
  const call = { from: `0x${wallet}`, to: `0x${first.to}`, data: `0x${first.data}`, value: quantity(first.value) };
  const params = [call, { blockHash: `0x${head.hash}` }];
  return (await endpoint.batch([{ method: 'eth_estimateGas', params }], signal))[0]!;
}

/** A node's words as Error(string) revert data. */
function asRevert(message: string): Hex {
  const words = message.replace(/^rpc endpoint \d+: /, '').replace(/^execution reverted:? ?/i, '');
  const bytes = Buffer.from(words, 'utf8');
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0');
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  return `08c379a0${word(32)}${word(bytes.length)}${padded}`;
}
