import { keptAfter, rangeStretch } from '#libs/chain/amm/q64/range-stretch.js';
import { MAX_STEPS, q64SwapStep } from '#libs/chain/amm/q64/swap-step.js';
import { liquidityAfter, type TickStop } from '#libs/chain/amm/q64/tick-path.js';
import { whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import { WalkMarks } from '#libs/chain/amm/q64/walk-marks.js';
import { RealCurve } from '#libs/chain/amm/real-curve.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import type { Whirlpool } from './account.js';
import type { SwapFee } from './adaptive-fee.js';

/**
 * One swap through the ticks of a Whirlpool. Invariant: the program's own loop to the unit; what it refuses, or fills in
 * part only, is refused. An exact output costs what the program asks for it: when the way to the next tick rounds down to
 * just that output, it goes the whole way, though a little less would do.
 */
export interface WhirlpoolAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Part of `amountIn`. */
  readonly fee: bigint;
  readonly steps: number;
}

/** Products from here on do not fit into the program's 256 bits once they are shifted by 64. */
const WIDE = 192n;
/** Prices have less than 97 bits: below this liquidity no product is that wide. */
const NARROW_LIQUIDITY = 95n;

/** The stops of one direction, and the marks that swaps left between them. */
export class Way {
  readonly marks = new WalkMarks<SwapFee>();

  constructor(readonly path: readonly TickStop[]) {}
}

export function swapThrough(
  pool: Whirlpool,
  { path, marks }: Way,
  feeAtStart: () => SwapFee,
  amount: bigint,
  exactIn: boolean,
  aToB: boolean,
): WhirlpoolAmounts {
  const limit = aToB ? whirlpoolPrices.minSqrtPrice : whirlpoolPrices.maxSqrtPrice;
  if (amount <= 0n || (aToB ? limit >= pool.sqrtPrice : limit <= pool.sqrtPrice)) refuse();
  u64(amount);
  const from = marks.before(amount, exactIn);
  const fee = from?.fee ?? feeAtStart();
  let { liquidity, sqrtPrice } = from ?? pool;
  let { paid, given, fees, steps, place } = from ?? START;
  let remaining = amount - (exactIn ? paid : given);
  while (remaining > 0n) {
    const stop = path[place];
    // Past the last array of ticks, or at the end of all prices.
    if (stop === undefined) return refuse();
    if (++steps > MAX_STEPS) refuse();
    const feePpm = fee.rate();
    const bound = fee.bound(stop.sqrtPrice, liquidity);
    const step = q64SwapStep(sqrtPrice, bound, liquidity, { remaining, feePpm, exactIn, aToB, feeOnInput: true });
    if (liquidity >> NARROW_LIQUIDITY !== 0n) {
      if (exactIn === aToB) refuseWide(sqrtPrice, bound, liquidity, step.sqrtPrice !== bound);
      marks.end();
    }
    paid += step.amountIn + step.fee;
    given += step.amountOut;
    u64(exactIn ? given : paid);
    remaining = amount - (exactIn ? paid : given);
    if (remaining < 0n) refuse();
    fees += step.fee;
    sqrtPrice = step.sqrtPrice;
    fee.moved(sqrtPrice, stop);
    if (sqrtPrice === stop.sqrtPrice) {
      liquidity = liquidityAfter(liquidity, stop.liquidityNet, aToB) ?? refuse();
      place++;
    }
    if (remaining > 0n && marks.wants(steps) && sqrtPrice === bound) {
      marks.add({ paid, given, fees, steps, place, sqrtPrice, liquidity, fee });
    }
  }
  return exactIn
    ? { amountIn: amount, amountOut: given, fee: fees, steps }
    : { amountIn: paid, amountOut: amount, fee: fees, steps };
}

/** The same way in real numbers, step by step as long as swaps are whole. */
export function curveThrough(pool: Whirlpool, { path }: Way, fee: SwapFee, aToB: boolean): RealCurve {
  let { liquidity, sqrtPrice } = pool;
  let place = 0;
  return new RealCurve(() => {
    for (;;) {
      const stop = path[place];
      if (stop === undefined) return null;
      const kept = keptAfter(fee.rate(), true);
      const bound = fee.bound(stop.sqrtPrice, liquidity);
      const stretch = liquidity > 0n ? [rangeStretch(sqrtPrice, bound, liquidity, aToB, kept)] : [];
      sqrtPrice = bound;
      fee.moved(bound, stop);
      if (bound === stop.sqrtPrice) {
        place++;
        const after = liquidityAfter(liquidity, stop.liquidityNet, aToB);
        if (after === null) place = path.length;
        else liquidity = after;
      }
      if (stretch.length > 0) return stretch;
    }
  });
}

const START = { paid: 0n, given: 0n, fees: 0n, steps: 0, place: 0 };

/** An amount of token A that is asked for is computed from products that may not fit, which fails the whole swap. */
function refuseWide(from: bigint, to: bigint, liquidity: bigint, within: boolean): void {
  const difference = from < to ? to - from : from - to;
  if ((liquidity * difference) >> WIDE !== 0n || (within && (liquidity * from) >> WIDE !== 0n)) refuse();
}
