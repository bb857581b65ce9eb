import type { LiquidityEvent, SwapEvent } from '#libs/protocol/blocks.js';
import type { NaivePool } from './naive-pool.js';

/** Ranges of pools of Solana: known from an anchor or their creation on, until a change comes that does not fit or says none. */
const INSIDE = 887_272;

/** Takes a change of a position where its outcome can be. */
export function takePosition(pool: NaivePool, event: LiquidityEvent): void {
  if (!pool.rangesKnown) return;
  const { tickLower, tickUpper, liquidityDelta: delta } = event;
  const ticks = new Map(pool.ticks);
  for (const [tick, net] of [
    [tickLower, delta],
    [tickUpper, -delta],
  ] as const) {
    const [gross, before] = ticks.get(tick) ?? [0n, 0n];
    ticks.set(tick, [gross + delta, before + net]);
    if (gross + delta === 0n && before + net === 0n) ticks.delete(tick);
  }
  const isActive = pool.sqrtPriceX96 > 0n && tickLower <= pool.tick && pool.tick < tickUpper;
  const liquidity = pool.liquidity + (isActive ? delta : 0n);
  const fits = [...ticks].every(
    ([tick, [gross, net]]) => Math.abs(tick) <= INSIDE && gross < 2n ** 128n && gross >= net && gross >= -net,
  );
  if (delta === 0n || tickLower >= tickUpper || !fits || liquidity < 0n || liquidity >= 2n ** 128n) loseRanges(pool);
  else Object.assign(pool, { ticks, liquidity });
}

/** The active liquidity after a swap: where the ranges are known it follows from them. */
export function liquidityAfter(pool: NaivePool, { tick, liquidity }: NonNullable<SwapEvent['after']>): bigint {
  if (!pool.rangesKnown) return liquidity;
  const from = pool.sqrtPriceX96 === 0n ? -Infinity : pool.tick;
  let active = pool.liquidity;
  for (const [at, [, net]] of pool.ticks) {
    if (from < at && at <= tick) active += net;
    if (tick < at && at <= from) active -= net;
  }
  if (active >= 0n && active < 2n ** 128n) return active;
  loseRanges(pool);
  return 0n;
}

function loseRanges(pool: NaivePool): void {
  Object.assign(pool, { rangesKnown: false, liquidity: 0n, ticks: new Map() });
}
