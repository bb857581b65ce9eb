import { keptAfter, rangeStretch } from '#libs/chain/amm/q64/range-stretch.js';
import { MAX_STEPS, q64SwapStep, type StepRequest } from '#libs/chain/amm/q64/swap-step.js';
import { liquidityAfter, type TickStop } from '#libs/chain/amm/q64/tick-path.js';
import { clmmPrices } from '#libs/chain/amm/q64/tick-price.js';
import { WalkMarks } from '#libs/chain/amm/q64/walk-marks.js';
import { type CurveStretch, RealCurve } from '#libs/chain/amm/real-curve.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import type { ClmmPool } from './account.js';
import type { SwapFee } from './dynamic-fee.js';
import { fillOrders, orderStretch } from './limit-order.js';

/** A tick on the way of a swap; limit orders there are filled before its liquidity is crossed. */
export interface ClmmStop extends TickStop {
  readonly orders: bigint;
}

/** The stops of one direction, and the marks that swaps left between them. */
export class Way {
  readonly marks = new WalkMarks<SwapFee>();

  constructor(
    readonly path: readonly ClmmStop[],
    /** The largest output that fits 64 bits with any fee of the pool on top: the first step of a larger one may be refused. */
    readonly mostOutput: bigint,
  ) {}
}

export interface ClmmAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** On top of the curve's price, of the input or the output as the pool takes it. */
  readonly fee: bigint;
  readonly steps: number;
}

/** The side of a swap on which the pool takes its fee. */
export const isFeeOnInput = ({ feeOn }: Pick<ClmmPool, 'feeOn'>, aToB: boolean): boolean =>
  feeOn === 1 ? aToB : feeOn === 2 ? !aToB : true;

/**
 * One swap through the ticks of a pool. Invariant: the program's own loop to the unit; what it refuses, or fills in part
 * only, is refused. An exact output costs what the program asks for it: when the way to the next tick rounds down to just
 * that output, it goes the whole way, though a little less would do.
 */
export function swapThrough(
  pool: ClmmPool,
  { path, marks, mostOutput }: Way,
  feeAtStart: () => SwapFee,
  amount: bigint,
  exactIn: boolean,
  aToB: boolean,
): ClmmAmounts {
  const limit = aToB ? clmmPrices.minSqrtPrice + 1n : clmmPrices.maxSqrtPrice - 1n;
  if (amount <= 0n || (aToB ? limit >= pool.sqrtPrice : limit <= pool.sqrtPrice)) refuse();
  u64(amount);
  const feeOnInput = isFeeOnInput(pool, aToB);
  const from = exactIn || feeOnInput || amount <= mostOutput ? marks.before(amount, exactIn) : null;
  const fee = from?.fee ?? feeAtStart();
  let { liquidity, sqrtPrice } = from ?? pool;
  let { paid, given, fees, steps, place } = from ?? START;
  let remaining = amount - (exactIn ? paid : given);
  const take = (swap: { amountIn: bigint; amountOut: bigint; fee: bigint }): void => {
    paid += feeOnInput ? swap.amountIn + swap.fee : swap.amountIn;
    given += swap.amountOut;
    u64(exactIn ? given : paid);
    fees = u64(fees + swap.fee);
    remaining = amount - (exactIn ? paid : given);
    if (remaining < 0n) refuse();
  };

  while (remaining > 0n) {
    const stop = path[place];
    // No further array of ticks, or the limit of all prices.
    if (stop === undefined || sqrtPrice === limit) return refuse();
    const within = aToB ? stop.sqrtPrice < limit : stop.sqrtPrice > limit;
    const target = within ? limit : stop.sqrtPrice;
    if (aToB ? sqrtPrice < target : sqrtPrice > target) refuse();
    if (++steps > MAX_STEPS) refuse();
    const feePpm = fee.rate();
    const bound = fee.bound(target, liquidity);
    const request: StepRequest = { remaining, feePpm, exactIn, aToB, feeOnInput };
    if (sqrtPrice !== bound) {
      const step = q64SwapStep(sqrtPrice, bound, liquidity, request);
      take(step);
      sqrtPrice = step.sqrtPrice;
    }
    if (sqrtPrice === stop.sqrtPrice) {
      let left = stop.orders;
      if (left > 0n) marks.end();
      if (left > 0n && remaining > 0n) {
        const fill = fillOrders(sqrtPrice, left, { ...request, remaining });
        take(fill);
        left -= feeOnInput ? fill.amountOut : fill.amountOut + fill.fee;
        // Orders that outlast the swap end it.
        if (left > 0n && remaining > 0n) refuse();
      }
      if (left === 0n) liquidity = liquidityAfter(liquidity, stop.liquidityNet, aToB) ?? refuse();
    }
    fee.moved(sqrtPrice, stop);
    if (sqrtPrice === target) place++;
    if (remaining > 0n && marks.wants(steps) && sqrtPrice === bound) {
      marks.add({ paid, given, fees, steps, place, sqrtPrice, liquidity, fee });
    }
  }
  return exactIn
    ? { amountIn: amount, amountOut: given, fee: fees, steps }
    : { amountIn: paid, amountOut: amount, fee: fees, steps };
}

/** The same way in real numbers, step by step as long as swaps are whole; limit orders are all filled at their price. */
export function curveThrough(pool: ClmmPool, { path }: Way, fee: SwapFee, aToB: boolean): RealCurve {
  const limit = aToB ? clmmPrices.minSqrtPrice + 1n : clmmPrices.maxSqrtPrice - 1n;
  const feeOnInput = isFeeOnInput(pool, aToB);
  let { liquidity, sqrtPrice } = pool;
  let place = 0;
  return new RealCurve(() => {
    for (;;) {
      const stop = path[place];
      if (stop === undefined || sqrtPrice === limit) return null;
      const within = aToB ? stop.sqrtPrice < limit : stop.sqrtPrice > limit;
      const target = within ? limit : stop.sqrtPrice;
      if (aToB ? sqrtPrice < target : sqrtPrice > target) return null;
      const kept = keptAfter(fee.rate(), feeOnInput);
      const bound = fee.bound(target, liquidity);
      const stretches: CurveStretch[] = [];
      if (liquidity > 0n && sqrtPrice !== bound) {
        stretches.push(rangeStretch(sqrtPrice, bound, liquidity, aToB, kept));
      }
      sqrtPrice = bound;
      if (bound === stop.sqrtPrice) {
        if (stop.orders > 0n) stretches.push(orderStretch(bound, stop.orders, aToB, kept));
        const after = liquidityAfter(liquidity, stop.liquidityNet, aToB);
        if (after === null) place = path.length;
        else liquidity = after;
      }
      fee.moved(bound, stop);
      if (bound === target) place++;
      if (stretches.length > 0) return stretches;
    }
  });
}

const START = { paid: 0n, given: 0n, fees: 0n, steps: 0, place: 0 };
