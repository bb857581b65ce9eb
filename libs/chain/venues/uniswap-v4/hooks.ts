import { ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';

/** What a pool's hooks may do is written in the low 14 bits of their address. These four let them change amounts. */
const BEFORE_SWAP_RETURNS_DELTA = 1 << 3;
const AFTER_SWAP_RETURNS_DELTA = 1 << 2;
const AFTER_ADD_LIQUIDITY_RETURNS_DELTA = 1 << 1;
const AFTER_REMOVE_LIQUIDITY_RETURNS_DELTA = 1 << 0;
const CHANGE_AMOUNTS =
  BEFORE_SWAP_RETURNS_DELTA |
  AFTER_SWAP_RETURNS_DELTA |
  AFTER_ADD_LIQUIDITY_RETURNS_DELTA |
  AFTER_REMOVE_LIQUIDITY_RETURNS_DELTA;

/** The fee of a key that leaves the fee to the hooks, swap by swap. */
export const DYNAMIC_FEE = 0x800000;

/** Whether what a swap pays or gives may be another amount than the pool's own curve says. */
export function hooksChangeAmounts(hooks: Hex, fee: number): boolean {
  if (fee === DYNAMIC_FEE) return true;
  return hooks !== ZERO_ADDRESS && (Number.parseInt(hooks.slice(-4), 16) & CHANGE_AMOUNTS) !== 0;
}
