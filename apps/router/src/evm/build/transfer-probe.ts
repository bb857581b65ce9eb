import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { revertText } from './revert-text.js';
import { accepted } from './sequence.js';
import type { BuildHead, Simulator } from './simulation.js';
import { balanceCall, readUint, transferCall } from './token-calls.js';

/**
 * Finds out why a swap fails although balance and allowance suffice: it moves every token of the path once, by a plain
 * transfer from its payer in the swap to its receiver. The wrapped coin is left out: it takes no tax and bars no account.
 */
export type TransferFault =
  | { readonly kind: 'taxed'; readonly token: Hex; readonly sent: bigint; readonly arrived: bigint }
  | { readonly kind: 'refused'; readonly token: Hex; readonly from: Hex; readonly to: Hex; readonly text: string };

interface Leg {
  readonly token: Hex;
  readonly from: Hex;
  readonly to: Hex;
  readonly amount: bigint;
}

/** What a probe is made with: the head of a node, and the swap that it is about. */
export interface ProbeContext {
  readonly endpoint: RpcEndpoint;
  readonly simulator: Simulator;
  readonly plan: EvmSwapPlan;
  readonly wrapped: Hex;
  readonly head: BuildHead;
  readonly signal: AbortSignal;
}

export async function findTransferFault(context: ProbeContext): Promise<TransferFault | null> {
  const legs = legsOf(context.plan).filter(({ token }) => token !== context.wrapped);
  const faults = await Promise.all(legs.map((leg) => probeTransfer(context, leg)));
  return faults.find((fault) => fault !== null) ?? null;
}

function legsOf({ path, pools, wallet, recipient, amountIn, hops }: EvmSwapPlan): Leg[] {
  return path.map((token, n) => ({
    token,
    from: n === 0 ? wallet : pools[n - 1]!,
    to: n < pools.length ? pools[n]! : recipient,
    amount: n === 0 ? amountIn : hops[n - 1]!.amountOut,
  }));
}

export async function probeTransfer(
  { endpoint, simulator, head, signal }: ProbeContext,
  { token, from, to, amount }: Leg,
): Promise<TransferFault | null> {
  const steps = [
    balanceCall(token, from),
    balanceCall(token, to),
    transferCall(token, to, amount),
    balanceCall(token, to),
  ];
  const [held, before, moved, after] = await simulator.run(endpoint, from, steps, head, signal);
  const value = (result = held): bigint | null => (result?.ok ? readUint(result.data) : null);
  const holding = value(held);
  // A pool that holds less than was quoted proves nothing about the token.
  if (holding === null || holding < amount || from === to) return null;
  if (!accepted(moved!)) {
    const text = moved!.ok ? 'transfer answered false' : revertText(moved!.data);
    return { kind: 'refused', token, from, to, text };
  }
  const had = value(before);
  const has = value(after);
  if (had === null || has === null || has - had >= amount) return null;
  return { kind: 'taxed', token, sent: amount, arrived: has - had };
}
