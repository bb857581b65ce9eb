import type { SwapForm } from '#libs/chain/market-ports/evm/swap-routing.js';
import type { Hex } from '#libs/core/ids.js';
import { type ContractCall } from '../model/contract-call.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { depositCall, withdrawCall } from './token-calls.js';

/** The swap of a plan. `deadline` is in Unix seconds. */
export function swapCall(plan: EvmSwapPlan, form: SwapForm, floor: bigint, deadline: bigint): ContractCall {
  const { venue, target, tokenIn, tokenOut, amountIn, recipient, path, fees } = plan;
  if (venue === null) return tokenIn === null ? depositCall(target, amountIn) : withdrawCall(target, amountIn);
  const [nativeIn, nativeOut] = [tokenIn === null, tokenOut === null];
  const order = { tokens: path, fees, amountIn, floor, recipient, deadline, nativeIn, nativeOut };
  return { to: target, data: venue.swaps.swapData(order, form), value: nativeIn ? amountIn : 0n };
}

/** What the venue says the path gives, where it can be asked inside a simulation. */
export function quoteCall({ venue, path, fees, amountIn }: EvmSwapPlan): ContractCall | null {
  if (!venue?.swaps.quotesByView) return null;
  return { ...venue.swaps.quoteCall(venue, { tokens: path, fees }, amountIn), value: 0n };
}

export function quotedOutput({ venue, path, fees }: EvmSwapPlan, answer: Hex): bigint | null {
  return venue?.swaps.readQuote(answer, { tokens: path, fees }) ?? null;
}

/** What the swap says it gave; null where it says nothing. */
export const statedOutput = ({ venue }: EvmSwapPlan, form: SwapForm, answer: Hex): bigint | null =>
  venue?.swaps.statedOutput(answer, form) ?? null;
