import { encodeAddress, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import type { ContractCall } from '../model/contract-call.js';

const call = (to: Hex, data: Hex, value = 0n): ContractCall => ({ to, data, value });

/** Calls of ERC-20 tokens. */
export const approveCall = (token: Hex, spender: Hex, amount: bigint): ContractCall =>
  call(token, `095ea7b3${encodeAddress(spender)}${encodeUint(amount)}`);

export const transferCall = (token: Hex, to: Hex, amount: bigint): ContractCall =>
  call(token, `a9059cbb${encodeAddress(to)}${encodeUint(amount)}`);

export const balanceCall = (token: Hex, owner: Hex): ContractCall => call(token, `70a08231${encodeAddress(owner)}`);

export const allowanceCall = (token: Hex, owner: Hex, spender: Hex): ContractCall =>
  call(token, `dd62ed3e${encodeAddress(owner)}${encodeAddress(spender)}`);

/** Calls of the wrapped coin. */
export const depositCall = (wrapped: Hex, amount: bigint): ContractCall => call(wrapped, 'd0e30db0', amount);

export const withdrawCall = (wrapped: Hex, amount: bigint): ContractCall =>
  call(wrapped, `2e1a7d4d${encodeUint(amount)}`);

/** A single uint256; null when the data is none. */
export function readUint(returned: Hex | null): bigint | null {
  return returned !== null && returned.length >= 64 ? BigInt(`0x${returned.slice(0, 64)}`) : null;
}
