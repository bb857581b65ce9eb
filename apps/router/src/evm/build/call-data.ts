import { concatHex, decodeFunctionResult, encodeFunctionData, type Hex as Prefixed, parseAbi, toHex } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import type { SwapPlan } from './swap-plan.js';

/** Call data of every contract that a build talks to. Ids and data have no prefix here; it is put on inside. */
export interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
}

/** V2 knows two ways: `plain` trusts the amounts it computed, `supporting` pays by balances, so that a token may take a tax. */
export type Variant = 'plain' | 'supporting';

const ERC20 = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);
const WRAPPED = parseAbi(['function deposit() payable', 'function withdraw(uint256 amount)']);
const V2 = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
const V3 = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInputSingle(Single params) payable returns (uint256)',
  'function exactInput(Path params) payable returns (uint256)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
]);
/** What SwapRouter02 and SmartRouter take for "this router". */
const ROUTER_ITSELF: Prefixed = '0x0000000000000000000000000000000000000002';

const at = (id: Hex): Prefixed => `0x${id}`;
const bare = (data: Prefixed): Hex => data.slice(2);

export const approveCall = (token: Hex, spender: Hex, amount: bigint): Call => ({
  to: token,
  data: bare(encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [at(spender), amount] })),
  value: 0n,
});

export const transferCall = (token: Hex, to: Hex, amount: bigint): Call => ({
  to: token,
  data: bare(encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [at(to), amount] })),
  value: 0n,
});

export const balanceCall = (token: Hex, owner: Hex): Call => ({
  to: token,
  data: bare(encodeFunctionData({ abi: ERC20, functionName: 'balanceOf', args: [at(owner)] })),
  value: 0n,
});

export const allowanceCall = (token: Hex, owner: Hex, spender: Hex): Call => ({
  to: token,
  data: bare(encodeFunctionData({ abi: ERC20, functionName: 'allowance', args: [at(owner), at(spender)] })),
  value: 0n,
});

/** What the V2 router says the path gives now, before any tax; null where there is no such question. */
export function amountsOutCall(plan: SwapPlan): Call | null {
  if (plan.kind !== 'v2-router02') return null;
  const args = [plan.amountIn, plan.path.map(at)] as const;
  const data = bare(encodeFunctionData({ abi: V2, functionName: 'getAmountsOut', args }));
  return { to: plan.target, data, value: 0n };
}

/** The swap itself. `deadline` is in Unix seconds. */
export function swapCall(plan: SwapPlan, variant: Variant, floor: bigint, deadline: bigint): Call {
  return { to: plan.target, data: bare(encodeSwap(plan, variant, floor, deadline)), value: sentValue(plan) };
}

const sentValue = (plan: SwapPlan): bigint => (plan.tokenIn === null ? plan.amountIn : 0n);

function encodeSwap(plan: SwapPlan, variant: Variant, floor: bigint, deadline: bigint): Prefixed {
  switch (plan.kind) {
    case 'wrap':
      return encodeFunctionData({ abi: WRAPPED, functionName: 'deposit' });
    case 'unwrap':
      return encodeFunctionData({ abi: WRAPPED, functionName: 'withdraw', args: [plan.amountIn] });
    case 'v2-router02':
      return encodeV2(plan, variant, floor, deadline);
    case 'v3-swap-router02':
      return encodeV3(plan, floor, deadline);
  }
}

function encodeV2(plan: SwapPlan, variant: Variant, floor: bigint, deadline: bigint): Prefixed {
  const rest = [floor, plan.path.map(at), at(plan.recipient), deadline] as const;
  const whole = [plan.amountIn, ...rest] as const;
  const supporting = variant === 'supporting';
  if (plan.tokenIn === null) {
    return supporting
      ? encodeFunctionData({
          abi: V2,
          functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
          args: rest,
        })
      : encodeFunctionData({ abi: V2, functionName: 'swapExactETHForTokens', args: rest });
  }
  if (plan.tokenOut === null) {
    return supporting
      ? encodeFunctionData({
          abi: V2,
          functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
          args: whole,
        })
      : encodeFunctionData({ abi: V2, functionName: 'swapExactTokensForETH', args: whole });
  }
  return supporting
    ? encodeFunctionData({
        abi: V2,
        functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
        args: whole,
      })
    : encodeFunctionData({ abi: V2, functionName: 'swapExactTokensForTokens', args: whole });
}

/** The deadline is the multicall's; a native output stays in the router until it is unwrapped for the recipient. */
function encodeV3(plan: SwapPlan, floor: bigint, deadline: bigint): Prefixed {
  const { path, fees, amountIn } = plan;
  const recipient = plan.tokenOut === null ? ROUTER_ITSELF : at(plan.recipient);
  const amounts = { amountIn, amountOutMinimum: floor };
  const swap =
    fees.length === 1
      ? encodeFunctionData({
          abi: V3,
          functionName: 'exactInputSingle',
          args: [
            {
              tokenIn: at(path[0]!),
              tokenOut: at(path[1]!),
              fee: fees[0]!,
              recipient,
              ...amounts,
              sqrtPriceLimitX96: 0n,
            },
          ],
        })
      : encodeFunctionData({
          abi: V3,
          functionName: 'exactInput',
          args: [{ path: v3Path(path, fees), recipient, ...amounts }],
        });
  const calls = [swap];
  if (plan.tokenOut === null) {
    const args = [floor, at(plan.recipient)] as const;
    calls.push(encodeFunctionData({ abi: V3, functionName: 'unwrapWETH9', args }));
  }
  return encodeFunctionData({ abi: V3, functionName: 'multicall', args: [deadline, calls] });
}

/** token, fee, token, …: 20 and 3 bytes by turns. */
function v3Path(path: readonly Hex[], fees: readonly number[]): Prefixed {
  return concatHex(
    path.flatMap((token, hop) => [at(token), ...(hop < fees.length ? [toHex(fees[hop]!, { size: 3 })] : [])]),
  );
}

/** What the swap says it gave; null where it says nothing. */
export function statedOutput(plan: SwapPlan, variant: Variant, returned: Hex): bigint | null {
  const data = at(returned);
  if (plan.kind === 'v3-swap-router02') {
    const [first] = decodeFunctionResult({ abi: V3, functionName: 'multicall', data });
    return first === undefined ? null : BigInt(first);
  }
  return plan.kind === 'v2-router02' && variant === 'plain' ? lastAmount(returned) : null;
}

/** The last entry of a uint256[]; null when the data is none. */
export function lastAmount(returned: Hex): bigint | null {
  if (returned.length < 3 * 64 || returned.length % 64 !== 0) return null;
  return BigInt(`0x${returned.slice(-64)}`);
}

/** A single uint256; null when the data is none. */
export function readUint(returned: Hex | null): bigint | null {
  return returned !== null && returned.length >= 64 ? BigInt(`0x${returned.slice(0, 64)}`) : null;
}
