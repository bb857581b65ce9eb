import { orNull, u64 } from '#libs/chain/amm/refusal.js';
import { type BinSwap, binExactIn, type SwapBin, type SwapSide } from './bin-swap.js';

/** Adds up bins as the program does, in u64. */
export class BinSum {
  constructor(
    public amountIn = 0n,
    public amountOut = 0n,
    public fee = 0n,
    public steps = 0,
  ) {}

  add(swap: BinSwap): void {
    this.amountIn = u64(this.amountIn + swap.amountIn);
    this.amountOut = u64(this.amountOut + swap.amountOut);
    this.fee = u64(this.fee + swap.fee);
    this.steps++;
  }

  copy(): BinSum {
    return new BinSum(this.amountIn, this.amountOut, this.fee, this.steps);
  }
}

const U64_MAX = (1n << 64n) - 1n;

/** A larger output is refused by the first bin where the fee on top of it is beyond u64. */
const MOST_WITH_FEE = 1n << 63n;

/**
 * Bins that an exact input walks again although it takes them whole: with at most a tenth as the fee, each bin before those has at
 * least three units more to come, so that its offer is more than it holds whatever the rounding of the fee.
 */
const WALKED_AGAIN = 2;

/**
 * What bins give when a swap takes all of them, summed from the first one on, so that a swap begins where it ends. Invariant: a swap
 * that goes through bins one by one takes the first `passed` of them whole. Sums are made as far as a swap has come, and not beyond
 * a bin that cannot be taken whole.
 */
export class WholeBins {
  /** After so many bins, ascending in both amounts. */
  private readonly sums: BinSum[] = [new BinSum()];
  private ended = false;

  constructor(
    private readonly bins: readonly SwapBin[],
    private readonly side: SwapSide,
  ) {}

  forInput(amountIn: bigint): { passed: number; sum: BinSum } {
    return this.at(Math.max(0, this.lastBelow('amountIn', amountIn) - WALKED_AGAIN));
  }

  forOutput(amountOut: bigint): { passed: number; sum: BinSum } {
    if (amountOut > MOST_WITH_FEE) return this.at(0);
    return this.at(this.lastBelow('amountOut', amountOut));
  }

  private at(passed: number): { passed: number; sum: BinSum } {
    return { passed, sum: this.sums[passed]!.copy() };
  }

  /** Place of the last sum that is below an amount. */
  private lastBelow(name: 'amountIn' | 'amountOut', amount: bigint): number {
    const { sums } = this;
    while (!this.ended && sums.at(-1)![name] < amount) this.extend();
    let [low, high] = [0, sums.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (sums[middle]![name] < amount) low = middle;
      else high = middle;
    }
    return low;
  }

  private extend(): void {
    const bin = this.bins[this.sums.length - 1];
    const sum = orNull(() => {
      if (bin === undefined) return null;
      const next = this.sums.at(-1)!.copy();
      next.add(binExactIn(bin, U64_MAX, this.side));
      return next;
    });
    if (sum === null) this.ended = true;
    else this.sums.push(sum);
  }
}
