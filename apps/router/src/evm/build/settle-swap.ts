import type { SwapForm } from '#libs/chain/market-ports/evm/swap-routing.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import {
  byRouterText,
  feeOnTransfer,
  missesFloor,
  quoteMoved,
  simulationFailed,
  taxBreaksFloor,
  taxLeavesNothing,
  transferProblem,
} from './build-refusals.js';
import { revertText } from './revert-text.js';
import { type Outcome, refusedApproval, runSequence, swapResult } from './sequence.js';
import { findTransferFault, type ProbeContext } from './transfer-probe.js';

/**
 * Finds the form in which the swap passes at the head, by simulation alone: there is no list of tokens that take a tax,
 * or that want their allowance reset to zero first. Invariant: the returned form passed as a whole, and the recipient's
 * balance grew by at least the floor; anything else is thrown as a problem that names its cause.
 */
export interface SimulationContext extends ProbeContext {
  /** null: the token does not tell it. */
  readonly allowance: bigint | null;
  readonly deadline: bigint;
}

export async function settleSwap(context: SimulationContext): Promise<Outcome> {
  const outcome = await withApprovals(context);
  const swap = swapResult(outcome);
  const { plan } = context;
  if (plan.venue?.swaps.forms.includes('by-balance')) {
    if (swap.ok && !feeTaken(plan, outcome)) return outcome;
    if (!swap.ok && missesFloor(plan, outcome, revertText(swap.data))) throw quoteMoved(plan, outcome.untaxed);
    return settleTaxed(context, outcome);
  }
  if (!swap.ok) throw await diagnoseFailure(context, outcome);
  if (feeTaken(plan, outcome)) {
    throw feeOnTransfer(plan.tokenOut!, outcome.stated!, outcome.received!);
  }
  if (outcome.received !== null && outcome.received < plan.floor && plan.venue === null) {
    throw simulationFailed(`0x${plan.target} gave ${outcome.received} for ${plan.amountIn}`);
  }
  return outcome;
}

/** Fewer units of a token arrived than the pools sent out. */
function feeTaken(plan: EvmSwapPlan, { received, stated }: Outcome): boolean {
  return plan.tokenOut !== null && received !== null && stated !== null && received < stated;
}

/** The plain form with the approvals it needs: none, one, or zero and one. */
async function withApprovals(context: SimulationContext): Promise<Outcome> {
  const { plan, allowance } = context;
  const wants = plan.tokenIn !== null && plan.venue !== null && (allowance ?? 0n) < plan.amountIn;
  let outcome = await run(context, 'plain', wants ? [plan.amountIn] : [], plan.floor);
  if (refusedApproval(outcome) !== null && allowance !== 0n) {
    outcome = await run(context, 'plain', [0n, plan.amountIn], plan.floor);
  }
  const refused = refusedApproval(outcome);
  if (refused === null) return outcome;
  const fault = await findTransferFault(context);
  if (fault?.kind === 'refused') throw transferProblem(plan, fault);
  const text = refused.ok ? 'approve answered false' : revertText(refused.data);
  throw simulationFailed(`token 0x${plan.tokenIn} refuses the approval: ${text}`);
}

/**
 * For a path with a token that keeps a part of each transfer: the form that pays by balances, under the same floor. The
 * plain form has shown that the route itself gives enough at this head.
 */
async function settleTaxed(context: SimulationContext, plain: Outcome): Promise<Outcome> {
  const { plan } = context;
  const { approvals } = plain.form;
  const [outcome, free] = await Promise.all([
    run(context, 'by-balance', approvals, plan.floor),
    run(context, 'by-balance', approvals, 0n),
  ]);
  const swap = swapResult(outcome);
  if (swap.ok) return outcome;
  const text = revertText(swap.data);
  if (swapResult(free).ok && free.received !== null && free.received < plan.floor) {
    throw taxBreaksFloor(plan, free.received);
  }
  const fault = await findTransferFault(context);
  if (fault?.kind === 'refused') throw transferProblem(plan, fault);
  throw (fault === null ? null : taxLeavesNothing(text)) ?? byRouterText(plan, text);
}

/** Why a swap that no other form can save failed. */
async function diagnoseFailure(context: SimulationContext, outcome: Outcome): Promise<Error> {
  const { plan } = context;
  const text = revertText(swapResult(outcome).data);
  if (plan.path.length === 0) return byRouterText(plan, text);
  if (missesFloor(plan, outcome, text)) {
    const free = await run(context, 'plain', outcome.form.approvals, 0n);
    return quoteMoved(plan, free.stated);
  }
  const fault = await findTransferFault(context);
  return fault === null ? byRouterText(plan, text) : transferProblem(plan, fault);
}

function run(
  context: SimulationContext,
  swap: SwapForm,
  approvals: readonly bigint[],
  floor: bigint,
): Promise<Outcome> {
  const { endpoint, simulator, plan, head, deadline, signal } = context;
  return runSequence(endpoint, simulator, plan, { swap, approvals, floor, deadline }, head, signal);
}
