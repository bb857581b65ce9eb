import { MAX_STEPS, type StepRequest, swapStep } from '#libs/amm/q64/swap-step.js';
import { liquidityAfter, type TickStop } from '#libs/amm/q64/tick-path.js';
import { clmmPrices } from '#libs/amm/q64/tick-price.js';
import { refuse, u64 } from '#libs/amm/refusal.js';
import type { ClmmPool } from './account.js';
import type { SwapFee } from './dynamic-fee.js';
import { fillOrders } from './limit-order.js';

/** A tick on the way of a swap; limit orders there are filled before its liquidity is crossed. */
export interface ClmmStop extends TickStop {
  readonly orders: bigint;
}

export interface SwapAmounts {
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
  path: readonly ClmmStop[],
  fee: SwapFee,
  amount: bigint,
  exactIn: boolean,
  aToB: boolean,
): SwapAmounts {
  let { liquidity, sqrtPrice } = pool;
  const limit = aToB ? clmmPrices.minSqrtPrice + 1n : clmmPrices.maxSqrtPrice - 1n;
  if (amount <= 0n || (aToB ? limit >= sqrtPrice : limit <= sqrtPrice)) refuse();
  const feeOnInput = isFeeOnInput(pool, aToB);
  let remaining = u64(amount);
  let steps = 0;
  let calculated = 0n;
  let fees = 0n;
  const take = (paid: bigint, given: bigint, charged: bigint): void => {
    const consumed = feeOnInput ? paid + charged : paid;
    remaining -= exactIn ? consumed : given;
    calculated = u64(calculated + (exactIn ? given : consumed));
    fees = u64(fees + charged);
    if (remaining < 0n) refuse();
  };

  for (let i = 0; remaining > 0n; i++) {
    const stop = path[i];
    // No further array of ticks, or the limit of all prices.
    if (stop === undefined || sqrtPrice === limit) return refuse();
    const within = aToB ? stop.sqrtPrice < limit : stop.sqrtPrice > limit;
    const target = within ? limit : stop.sqrtPrice;
    if (aToB ? sqrtPrice < target : sqrtPrice > target) refuse();
    let next = liquidity;
    do {
      if (++steps > MAX_STEPS) refuse();
      const feePpm = fee.rate();
      const bound = fee.bound(target, liquidity);
      const request: StepRequest = { remaining, feePpm, exactIn, aToB, feeOnInput };
      if (sqrtPrice !== bound) {
        const step = swapStep(sqrtPrice, bound, liquidity, request);
        take(step.amountIn, step.amountOut, step.fee);
        sqrtPrice = step.sqrtPrice;
      }
      if (sqrtPrice === stop.sqrtPrice) {
        let left = stop.orders;
        if (left > 0n && remaining > 0n) {
          const fill = fillOrders(sqrtPrice, left, { ...request, remaining });
          take(fill.amountIn, fill.amountOut, fill.fee);
          left -= feeOnInput ? fill.amountOut : fill.amountOut + fill.fee;
          // Orders that outlast the swap end it.
          if (left > 0n && remaining > 0n) refuse();
        }
        if (left === 0n) next = liquidityAfter(liquidity, stop.liquidityNet, aToB) ?? refuse();
      }
      fee.moved(sqrtPrice, stop);
    } while (remaining > 0n && sqrtPrice !== target);
    liquidity = next;
  }
  return exactIn
    ? { amountIn: amount, amountOut: calculated, fee: fees, steps }
    : { amountIn: calculated, amountOut: amount, fee: fees, steps };
}
