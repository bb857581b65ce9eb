import type { TickRecord } from '#libs/protocol/blocks.js';
import { tickIndexAtOrBelow } from './concentrated-swap.js';
import { sqrtRatioAtTick } from './tick-math.js';

/** A pool whose liquidity is in ranges of the price. */
export interface RangedPool {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  /** Ascending. */
  readonly ticks: readonly TickRecord[];
}

/** Bits kept below one unit of token 0 while the terms are summed, as 96 are of token 1. */
const FRACTION = 64n;

/**
 * What the pool pays out of one token, without fees, while the other one is sold to it until that has lost three quarters of its
 * price. Liquidity outside of this range counts nothing: a swap at anything like the price does not reach it
 * (docs/decisions/0017). Stops at `enough`, and is then at least that much.
 */
export function quoteDepth(pool: RangedPool, ofToken0: boolean, enough?: bigint): bigint {
  return ofToken0 ? depth0(pool, enough) : depth1(pool, enough);
}

/** Token 1 of a range between two prices, times 2^96. */
export const amount1Between = (liquidity: bigint, low: bigint, high: bigint): bigint =>
  liquidity > 0n ? liquidity * (high - low) : 0n;

/** Token 0 of a range between two prices, times 2^64. */
export const amount0Between = (liquidity: bigint, low: bigint, high: bigint): bigint =>
  liquidity > 0n ? ((liquidity * (high - low)) << (96n + FRACTION)) / (high * low) : 0n;

/** The price falls to a quarter: its root to the half. */
function depth1({ sqrtPriceX96, tick, liquidity, ticks }: RangedPool, enough: bigint | undefined): bigint {
  const limit = sqrtPriceX96 >> 1n;
  const wanted = enough === undefined ? null : enough << 96n;
  let price = sqrtPriceX96;
  let active = liquidity;
  let sum = 0n;
  for (let index = tickIndexAtOrBelow(ticks, tick); price > limit; index--) {
    const next = ticks[index];
    const ratio = next === undefined ? limit : sqrtRatioAtTick(next.tick);
    const end = ratio > limit ? ratio : limit;
    if (end < price) {
      sum += amount1Between(active, end, price);
      price = end;
    }
    if (next === undefined || (wanted !== null && sum >= wanted)) break;
    active -= next.liquidityNet;
  }
  return sum >> 96n;
}

/** The price rises to four times: its root to twice. */
function depth0({ sqrtPriceX96, tick, liquidity, ticks }: RangedPool, enough: bigint | undefined): bigint {
  const limit = sqrtPriceX96 << 1n;
  const wanted = enough === undefined ? null : enough << FRACTION;
  let price = sqrtPriceX96;
  let active = liquidity;
  let sum = 0n;
  for (let index = tickIndexAtOrBelow(ticks, tick) + 1; price < limit; index++) {
    const next = ticks[index];
    const ratio = next === undefined ? limit : sqrtRatioAtTick(next.tick);
    const end = ratio < limit ? ratio : limit;
    if (end > price) {
      sum += amount0Between(active, price, end);
      price = end;
    }
    if (next === undefined || (wanted !== null && sum >= wanted)) break;
    active += next.liquidityNet;
  }
  return sum >> FRACTION;
}
