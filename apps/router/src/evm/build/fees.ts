import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcAnswer, RpcCall } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Fees } from '../model/built-swap.js';

const BLOCKS = 5;
const PERCENTILE = 50;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;

export const FEE_CALLS: readonly RpcCall[] = [
  { method: 'eth_feeHistory', params: [quantity(BLOCKS), 'latest', [PERCENTILE]] },
  { method: 'eth_maxPriorityFeePerGas', params: [] },
];

/**
 * Suggests fees from the answers to FEE_CALLS. Tips of zero are believed where blocks carried transactions. The node's
 * own suggestion is used only when every recent block was empty, or when the node keeps no history. `baseFee` is the base
 * fee of the head.
 */
export function suggestFees([history, suggestion]: readonly RpcAnswer[], baseFee: bigint): Fees {
  const suggested = readQuantity(suggestion?.result) ?? 0n;
  const { baseFeePerGas, gasUsedRatio, reward } = (history?.result ?? {}) as Record<string, unknown>;
  const next = Array.isArray(baseFeePerGas) ? readQuantity(baseFeePerGas.at(-1)) : null;
  const used = Array.isArray(gasUsedRatio) ? gasUsedRatio : [];
  const tips = (Array.isArray(reward) ? reward : [])
    .filter((_, block) => typeof used[block] === 'number' && used[block] > 0)
    .map((row) => readQuantity(Array.isArray(row) ? row[0] : null))
    .filter((tip): tip is bigint => tip !== null)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const tip = tips.length > 0 ? tips[tips.length >> 1]! : suggested;
  // A base fee that jumped in the head itself counts as well.
  const base = next !== null && next > baseFee ? next : baseFee;
  return { maxFeePerGas: base * 2n + tip, maxPriorityFeePerGas: tip };
}

export function readQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null;
}
