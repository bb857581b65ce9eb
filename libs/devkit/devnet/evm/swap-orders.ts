import { encodeFunctionData, encodePacked, type Hex } from 'viem';
import type { ChainPool, ExchangeSites } from './market-plan.js';
import { NO_DEADLINE, SWAP_ROUTER_ABI, V2_ROUTER_ABI } from './periphery-abi.js';

/** Call data for the exchange's routers: one way per kind of swap that wallets make. */
export interface LocalSwapOrder {
  /** One or two pools of the same version, with the tokens along the way. */
  pools: readonly ChainPool[];
  path: readonly Hex[];
  amountIn: bigint;
  amountOutMin: bigint;
  recipient: Hex;
  /** The input is ether sent along instead of tokens. */
  payEther: boolean;
  /** The output is unwrapped to ether, where it is wrapped ether. */
  takeEther: boolean;
  /** Some token on the way keeps a share of transfers. */
  taxed: boolean;
}

export interface RouterCall {
  router: string;
  data: Hex;
}

/** SwapRouter02 reads this recipient as itself. */
const ROUTER_ITSELF: Hex = '0x0000000000000000000000000000000000000002';

export function v2RouterCall(sites: ExchangeSites, order: LocalSwapOrder): RouterCall {
  const { amountIn, amountOutMin, recipient } = order;
  const path = [...order.path];
  const router = sites.v2Router;
  if (order.payEther) {
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    const args = [amountOutMin, path, recipient, NO_DEADLINE] as const;
    return { router, data: encodeFunctionData({ abi: V2_ROUTER_ABI, functionName, args }) };
  }
  const args = [amountIn, amountOutMin, path, recipient, NO_DEADLINE] as const;
  if (order.takeEther && path[path.length - 1] === sites.wrapped) {
    const functionName = 'swapExactTokensForETHSupportingFeeOnTransferTokens';
    return { router, data: encodeFunctionData({ abi: V2_ROUTER_ABI, functionName, args }) };
  }
  const functionName = order.taxed
    ? 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
    : 'swapExactTokensForTokens';
  return { router, data: encodeFunctionData({ abi: V2_ROUTER_ABI, functionName, args }) };
}

/** V2 pools through SwapRouter02, which knows no taxed tokens. */
export function v2SwapRouter02Call(sites: ExchangeSites, order: LocalSwapOrder): RouterCall {
  const { amountIn, amountOutMin, path, recipient } = order;
  const args = [amountIn, amountOutMin, [...path], recipient] as const;
  const data = encodeFunctionData({ abi: SWAP_ROUTER_ABI, functionName: 'swapExactTokensForTokens', args });
  return { router: sites.v3Router, data };
}

export function v3RouterCall(sites: ExchangeSites, order: LocalSwapOrder): RouterCall {
  const { pools, path, amountIn, amountOutMin: amountOutMinimum } = order;
  const [tokenIn, middle, tokenOut] = path as [Hex, Hex, Hex | undefined];
  const [first, second] = pools as [ChainPool, ChainPool | undefined];
  const unwraps = order.takeEther && path[path.length - 1] === sites.wrapped;
  const recipient = unwraps ? ROUTER_ITSELF : order.recipient;
  let data: Hex;
  if (second && tokenOut) {
    const packed = encodePacked(
      ['address', 'uint24', 'address', 'uint24', 'address'],
      [tokenIn, first.fee, middle, second.fee, tokenOut],
    );
    const params = { path: packed, recipient, amountIn, amountOutMinimum };
    data = encodeFunctionData({ abi: SWAP_ROUTER_ABI, functionName: 'exactInput', args: [params] });
  } else {
    const price = { amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n };
    const params = { tokenIn, tokenOut: middle, fee: first.fee, recipient, ...price };
    data = encodeFunctionData({ abi: SWAP_ROUTER_ABI, functionName: 'exactInputSingle', args: [params] });
  }
  if (unwraps) {
    const args = [0n, order.recipient] as const;
    const unwrap = encodeFunctionData({ abi: SWAP_ROUTER_ABI, functionName: 'unwrapWETH9', args });
    data = encodeFunctionData({ abi: SWAP_ROUTER_ABI, functionName: 'multicall', args: [[data, unwrap]] });
  }
  return { router: sites.v3Router, data };
}
