import type { TickPrices } from './tick-price.js';

/** Where a swap stops: an initialized tick, or the end of the ticks that it can see. */
export interface TickStop {
  readonly tick: number;
  readonly sqrtPrice: bigint;
  /** Liquidity that is added when the price goes up through the tick; 0 at an end. */
  readonly liquidityNet: bigint;
}

const MAX_U128 = (1n << 128n) - 1n;

/** Liquidity on the other side of a tick; null when the program's type cannot hold it. */
export function liquidityAfter(liquidity: bigint, liquidityNet: bigint, aToB: boolean): bigint | null {
  const after = aToB ? liquidity - liquidityNet : liquidity + liquidityNet;
  return after < 0n || after > MAX_U128 ? null : after;
}

export const stopAt = (prices: TickPrices, tick: number, liquidityNet: bigint): TickStop => ({
  tick,
  sqrtPrice: prices.at(tick),
  liquidityNet,
});
