import type { Hex } from '#libs/core/ids.js';
import { Refusal } from '../../refusal.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import type { Outcome } from './sequence.js';
import type { TransferFault } from './transfer-probe.js';

/** Every refusal of a build; the reason tells the caller what to change. */

export function insufficientToken(token: Hex, have: bigint, need: bigint): Refusal {
  return new Refusal('insufficient_funds', `the wallet has ${have} of token 0x${token} and needs ${need}`);
}

export function insufficientNative(have: bigint, value: bigint, gas: bigint): Refusal {
  const need =
    gas === 0n ? `${value}` : `${value + gas}: ${value} for the swap and ${gas} for gas at the suggested fees`;
  return new Refusal('insufficient_funds', `the wallet has ${have} wei of the native coin and needs ${need}`);
}

export function quoteMoved(plan: EvmSwapPlan, gives: bigint | null): Refusal {
  const now = gives === null ? 'the route gives less than the floor' : `the route gives ${gives}`;
  const floor = gives === null ? `${plan.floor}` : `below the floor of ${plan.floor}`;
  return new Refusal(
    'quote_moved',
    `the pools moved: at the head ${now}, ${floor}; ask for a new quote or raise slippageBps`,
  );
}

export function simulationFailed(what: string): Refusal {
  return new Refusal('simulation_failed', `the simulation at the head failed: ${what}`);
}

/** The route gives enough, but a token of it keeps too much. */
export function taxBreaksFloor(plan: EvmSwapPlan, received: bigint): Refusal {
  const { quotedOut, floor, slippageBps } = plan;
  const short = quotedOut - received;
  const needed = quotedOut === 0n ? 10_000n : (short * 10_000n + quotedOut - 1n) / quotedOut;
  const what = `a token of the route takes a tax of its own: ${received} would arrive, below the floor of ${floor}`;
  return simulationFailed(`${what}; it needs slippageBps of at least ${needed}, not ${slippageBps}`);
}

/**
 * The refusal where a pool got nothing to swap, or would give nothing, although the route gave enough before the tax;
 * null for any other text.
 */
export function taxLeavesNothing(text: string): Refusal | null {
  if (!/: INSUFFICIENT_(INPUT|OUTPUT)_AMOUNT$/.test(text)) return null;
  return simulationFailed(`a token of the route takes a tax that leaves nothing of so small an amount: ${text}`);
}

export function feeOnTransfer(token: Hex, sent: bigint, arrived: bigint): Refusal {
  const what = `token 0x${token} takes a tax on transfers (of ${sent} sent ${arrived} arrive)`;
  return new Refusal('fee_on_transfer', `${what}, which V3 pools do not support; quote it on a V2 venue`);
}

function notTransferable(what: string): Refusal {
  return new Refusal('token_not_transferable', what);
}

export function transferProblem(plan: EvmSwapPlan, fault: TransferFault): Refusal {
  if (fault.kind === 'taxed') return feeOnTransfer(fault.token, fault.sent, fault.arrived);
  const { token, from, to, text } = fault;
  const name = (id: Hex): string => {
    if (id === plan.wallet) return 'the wallet';
    return id === plan.recipient ? 'the recipient' : `pool 0x${id}`;
  };
  return notTransferable(`token 0x${token} refuses the transfer from ${name(from)} to ${name(to)}: ${text}`);
}

const MOVED = /too little received|insufficient_output_amount|insufficient_liquidity|insufficient weth9|^SPL$/i;
const PAYMENT_REFUSED = /transfer_from_failed|transferFrom failed|^STF$/i;
const NATIVE_REFUSED = /eth_transfer_failed|safeTransferETH|^STE$/i;

/** Whether the route fails at the head only because it gives less than the floor. */
export function missesFloor(plan: EvmSwapPlan, outcome: Outcome, text: string): boolean {
  return outcome.untaxed !== null ? outcome.untaxed < plan.floor : MOVED.test(text);
}

/** Refuses by the error text of the router contract, when the probes of transfers did not explain the failure. */
export function byRouterText(plan: EvmSwapPlan, text: string): Refusal {
  if (PAYMENT_REFUSED.test(text) && plan.tokenIn !== null) {
    return notTransferable(
      `token 0x${plan.tokenIn} does not let 0x${plan.target} take it from the wallet, though balance and approval suffice: ${text}`,
    );
  }
  if (NATIVE_REFUSED.test(text)) return notTransferable(`the recipient does not take the native coin: ${text}`);
  return simulationFailed(text);
}
