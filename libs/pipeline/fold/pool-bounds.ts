import { MAX_TICK, MIN_TICK } from '#libs/chain/amm/tick-math.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import type { SetApart } from '#libs/protocol/facts.js';

/**
 * Which numbers a pool can have: those of the contracts' own types, and amounts that an Int256 holds. What an event says
 * beyond them is no state of a pool.
 */
const AMOUNT_END = 1n << 255n;
const PRICE_END = 1n << 160n;
const LIQUIDITY_END = 1n << 128n;

/** Amounts of a pool; a sum of them may be below zero for another reason, and is then taken as zero. */
export const isPoolAmount = (amount: bigint): boolean => amount < AMOUNT_END;

export const isLiquidity = (liquidity: bigint): boolean => liquidity >= 0n && liquidity < LIQUIDITY_END;

export const isTickIndex = (tick: number): boolean => tick >= MIN_TICK && tick <= MAX_TICK;

/** No position reaches further than its own liquidity: the net of a tick is never more than its gross, either way. */
export function isTick({ tick, liquidityGross, liquidityNet }: TickRecord): boolean {
  return (
    isTickIndex(tick) &&
    isLiquidity(liquidityGross) &&
    liquidityNet <= liquidityGross &&
    -liquidityNet <= liquidityGross
  );
}

/** Why a stated price cannot be; null where it can. */
export function whyNoPrice(sqrtPriceX96: bigint, tick: number): SetApart | null {
  return sqrtPriceX96 < 0n || sqrtPriceX96 >= PRICE_END || !isTickIndex(tick) ? 'price' : null;
}
