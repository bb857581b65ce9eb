import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import type { NaivePool } from './naive-pool.js';

/** What the way of a price depends on. */
type RangedNaivePool = Pick<NaivePool, 'sqrtPriceX96' | 'tick' | 'liquidity' | 'ticks'>;

/** What the ranges of a pool hold on a way of its price, tick by tick. */

/** Prices of the pool's ticks on the way from its price to `end`, with both ends, in the order of the way. */
function stops(pool: RangedNaivePool, end: bigint): bigint[] {
  const at = pool.sqrtPriceX96;
  const inside = [...pool.ticks.keys()].map((tick) => sqrtRatioAtTick(tick)).filter((s) => (s - at) * (s - end) < 0n);
  const way = [at, ...inside, end].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return end < at ? way.reverse() : way;
}

/** The pool's liquidity less, or with, the nets of the ticks between its price and this one. */
function liquidityAt(pool: RangedNaivePool, from: bigint, to: bigint): bigint {
  let liquidity = pool.liquidity;
  for (const [tick, [, net]] of pool.ticks) {
    const s = sqrtRatioAtTick(tick);
    if (to < from && tick <= pool.tick && s >= from) liquidity -= net;
    if (to > from && tick > pool.tick && s <= from) liquidity += net;
  }
  return liquidity > 0n ? liquidity : 0n;
}

export function paidDownwards(pool: RangedNaivePool): bigint {
  const way = stops(pool, pool.sqrtPriceX96 / 2n);
  const paid = way.slice(1).map((to, n) => liquidityAt(pool, way[n]!, to) * (way[n]! - to));
  return paid.reduce((sum, part) => sum + part, 0n) / 2n ** 96n;
}

export function paidUpwards(pool: RangedNaivePool): bigint {
  if (pool.sqrtPriceX96 === 0n) return 0n;
  const way = stops(pool, pool.sqrtPriceX96 * 2n);
  const paid = way.slice(1).map((to, n) => {
    const from = way[n]!;
    return (liquidityAt(pool, from, to) * (to - from) * 2n ** 160n) / (from * to);
  });
  return paid.reduce((sum, part) => sum + part, 0n) / 2n ** 64n;
}

/** Of both tokens on the way of the price to each of these ends, one after the other. */
export function flows(pool: RangedNaivePool, ends: readonly bigint[]): { token0: bigint; token1: bigint }[] {
  let [token0, token1] = [0n, 0n];
  const sums: { token0: bigint; token1: bigint }[] = [];
  let from = pool.sqrtPriceX96;
  for (const end of ends) {
    const way = stops(pool, ends.at(-1)!).filter((s) => (s - from) * (s - end) < 0n);
    for (const to of [...way, end]) {
      const liquidity = liquidityAt(pool, from, to);
      const step = to > from ? to - from : from - to;
      token0 += (liquidity * step * 2n ** 160n) / (from * to);
      token1 += liquidity * step;
      from = to;
    }
    sums.push({ token0: token0 / 2n ** 64n, token1: token1 / 2n ** 96n });
  }
  return sums;
}
