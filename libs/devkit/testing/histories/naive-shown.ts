import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { NaivePool, NaiveShown } from './naive-pool.js';

/** The floor of decision 24, side by side: of a pool of Solana with unknown ranges, what swaps paid in near the price and is still there. */
type Told = Extract<ChainEvent, { kind: 'vaults' | 'swap' | 'flow' | 'liquidity' }>;

export const nothingShown = (): NaiveShown => ({ from: 0n, near: [0n, 0n], tx: '', vaults: [0n, 0n] });

/** Comes before the event changes the pool; `block` and the event's transaction name the transaction. */
export function showTrade(pool: NaivePool, event: Told, block: string): void {
  pool.shown ??= nothingShown();
  const { shown } = pool;
  const tx = `${block} ${event.tx}`;
  if (shown.tx !== tx) Object.assign(shown, { tx, vaults: [0n, 0n] });
  if (event.kind === 'vaults') {
    if (!pool.anchored) return;
    for (const [side, now] of [event.reserve0, event.reserve1].entries()) {
      const moved = now === null ? 0n : now - (side === 0 ? pool.reserve0 : pool.reserve1);
      shown.vaults[side as 0 | 1] += moved;
      if (moved < 0n) shown.near[side as 0 | 1] = notBelowZero(shown.near[side as 0 | 1] + moved);
    }
    return;
  }
  if (event.kind === 'liquidity' && event.liquidityDelta === 0n && event.amount0 === 0n && event.amount1 === 0n) {
    Object.assign(shown, { from: 0n, near: [0n, 0n] });
    return;
  }
  let counts = false;
  if (event.kind === 'swap') {
    const [was, is] = [pool.sqrtPriceX96, event.after!.sqrtPriceX96];
    const around = [was, is].every((price) => within(price, shown.from));
    if (!around) Object.assign(shown, { from: is, near: [0n, 0n] });
    const [a, b] = [event.amount0 ** 2n, event.amount1 ** 2n].map((square) => square * 2n ** 384n);
    const price = shown.from ** 4n;
    // The squares of both sides, so that signs do not matter.
    const fair = b! > 0n && b! * 2n ** 384n <= 4n * a! * price && a! * price <= 4n * b! * 2n ** 384n;
    counts = (around || within(was, is)) && fair;
  }
  for (const side of [0, 1] as const) {
    const amount = side === 0 ? event.amount0 : event.amount1;
    const moved = shown.vaults[side];
    if (amount > 0n && event.kind === 'swap') {
      const real = smaller(notBelowZero(moved), amount);
      shown.vaults[side] -= real;
      if (counts) shown.near[side] += real;
    }
    if (amount >= 0n) continue;
    const known = -smaller(notBelowZero(-moved), -amount);
    shown.vaults[side] -= known;
    shown.near[side] = notBelowZero(shown.near[side] + amount - known);
  }
}

/** Prices within a factor of two of each other, by their roots. */
const within = (a: bigint, b: bigint): boolean => a ** 2n <= 2n * b ** 2n && b ** 2n <= 2n * a ** 2n;

const notBelowZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

const smaller = (a: bigint, b: bigint): bigint => (b < a ? b : a);
