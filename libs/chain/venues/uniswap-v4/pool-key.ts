import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import { encodeAddress, encodeInt, encodeUint, ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { DYNAMIC_FEE, hooksChangeAmounts } from './hooks.js';

/** What a V4 pool is, and what its id is the hash of. Currency 0 is the zero address where it is the chain's coin. */
export interface PoolKey {
  readonly currency0: Hex;
  readonly currency1: Hex;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Hex;
}

const MAX_FEE_PPM = 1_000_000;
const MAX_TICK_SPACING = 32_767;

export function poolIdOf({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex {
  const words = [encodeAddress(currency0), encodeAddress(currency1), encodeUint(fee), encodeInt(tickSpacing)];
  return keccak256Hex(Buffer.from(words.join('') + encodeAddress(hooks), 'hex'));
}

/**
 * The record of a pool. The coin itself is recorded as its wrapped form, one to one: a pool of both is none, since one
 * token cannot trade against itself.
 */
export function recordOf(
  pool: Hex,
  key: PoolKey,
  { venue, coin, trustedHooks }: VenueSite,
  created: boolean,
): PoolRecord | null {
  const { currency1, fee, tickSpacing, hooks } = key;
  const token0 = key.currency0 === ZERO_ADDRESS ? coin : key.currency0;
  if (token0 === currency1 || tickSpacing <= 0 || tickSpacing > MAX_TICK_SPACING) return null;
  if (fee !== DYNAMIC_FEE && fee > MAX_FEE_PPM) return null;
  return {
    pool,
    venue: venue.venue,
    kind: hooksChangeAmounts(hooks, fee) && !trustedHooks.has(hooks) ? 'hooked' : 'shared',
    token0,
    token1: currency1,
    feePpm: fee === DYNAMIC_FEE ? 0 : fee,
    tickSpacing,
    created,
  };
}
