import { MAX_STEPS, swapStep } from '#libs/amm/q64/swap-step.js';
import { liquidityAfter, type TickStop } from '#libs/amm/q64/tick-path.js';
import { whirlpoolPrices } from '#libs/amm/q64/tick-price.js';
import { refuse, u64 } from '#libs/amm/refusal.js';
import type { Whirlpool } from './account.js';
import type { SwapFee } from './adaptive-fee.js';

/**
 * One swap through the ticks of a Whirlpool. Invariant: the program's own loop to the unit; what it refuses, or fills in
 * part only, is refused. An exact output costs what the program asks for it: when the way to the next tick rounds down to
 * just that output, it goes the whole way, though a little less would do.
 */
export interface SwapAmounts {
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

export function swapThrough(
  pool: Whirlpool,
  path: readonly TickStop[],
  fee: SwapFee,
  amount: bigint,
  exactIn: boolean,
  aToB: boolean,
): SwapAmounts {
  let { liquidity, sqrtPrice } = pool;
  const limit = aToB ? whirlpoolPrices.minSqrtPrice : whirlpoolPrices.maxSqrtPrice;
  if (amount <= 0n || (aToB ? limit >= sqrtPrice : limit <= sqrtPrice)) refuse();
  let remaining = u64(amount);
  let steps = 0;
  let calculated = 0n;
  let fees = 0n;
  for (let i = 0; remaining > 0n; i++) {
    const stop = path[i];
    // Past the last array of ticks, or at the end of all prices.
    if (stop === undefined) return refuse();
    const target = stop.sqrtPrice;
    do {
      if (++steps > MAX_STEPS) refuse();
      const feePpm = fee.rate();
      const bound = fee.bound(target, liquidity);
      const step = swapStep(sqrtPrice, bound, liquidity, { remaining, feePpm, exactIn, aToB, feeOnInput: true });
      if (exactIn === aToB && liquidity >> NARROW_LIQUIDITY !== 0n)
        refuseWide(sqrtPrice, bound, liquidity, step.sqrtPrice !== bound);
      const paid = step.amountIn + step.fee;
      remaining -= exactIn ? paid : step.amountOut;
      calculated = u64(calculated + (exactIn ? step.amountOut : paid));
      if (remaining < 0n) refuse();
      fees += step.fee;
      sqrtPrice = step.sqrtPrice;
      fee.moved(sqrtPrice, stop);
    } while (remaining > 0n && sqrtPrice !== target);
    if (sqrtPrice === target) liquidity = liquidityAfter(liquidity, stop.liquidityNet, aToB) ?? refuse();
  }
  return exactIn
    ? { amountIn: amount, amountOut: calculated, fee: fees, steps }
    : { amountIn: calculated, amountOut: amount, fee: fees, steps };
}

/** An amount of token A that is asked for is computed from products that may not fit, which fails the whole swap. */
function refuseWide(from: bigint, to: bigint, liquidity: bigint, within: boolean): void {
  const difference = from < to ? to - from : from - to;
  if ((liquidity * difference) >> WIDE !== 0n || (within && (liquidity * from) >> WIDE !== 0n)) refuse();
}
