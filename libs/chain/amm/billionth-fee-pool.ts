import { feeWithin, withFee } from './billionth-fee.js';
import type { CurveSwap } from './curve-swap.js';
import { orNull, u64 } from './refusal.js';

/** The amount that a fee's rate is computed for, before or after the fee. */
export interface FeeOf {
  readonly amount: bigint;
  readonly included: boolean;
}

/** Swaps of a pool of Meteora's, whose fee is taken from the input or from the output. */
export abstract class BillionthFeePool {
  protected abstract feeOnInput(aToB: boolean): boolean;
  /** The fee of a swap in parts per billion. */
  protected abstract rate(aToB: boolean, of: FeeOf): bigint;
  /** Output of the curve for all of an input, and input for all of an output, without fees. */
  protected abstract outputFor(aToB: boolean, input: bigint): bigint;
  protected abstract inputFor(aToB: boolean, output: bigint): bigint;
  /** Null for a swap that the program refuses. */
  protected abstract settled(aToB: boolean, swap: CurveSwap): CurveSwap | null;

  exactIn(aToB: boolean, amountIn: bigint): CurveSwap | null {
    return orNull(() => {
      if (amountIn <= 0n) return null;
      const rate = this.rate(aToB, { amount: u64(amountIn), included: true });
      if (this.feeOnInput(aToB)) {
        const fee = feeWithin(amountIn, rate);
        const amountOut = this.outputFor(aToB, u64(amountIn - fee));
        return this.settled(aToB, { amountIn, amountOut, fee, feeSide: 'input' });
      }
      const gross = this.outputFor(aToB, amountIn);
      const fee = feeWithin(gross, rate);
      return this.settled(aToB, { amountIn, amountOut: u64(gross - fee), fee, feeSide: 'output' });
    });
  }

  exactOut(aToB: boolean, amountOut: bigint): CurveSwap | null {
    return orNull(() => {
      if (amountOut <= 0n) return null;
      if (this.feeOnInput(aToB)) {
        const net = this.inputFor(aToB, u64(amountOut));
        const amountIn = withFee(net, this.rate(aToB, { amount: net, included: false }));
        return this.settled(aToB, { amountIn, amountOut, fee: amountIn - net, feeSide: 'input' });
      }
      const gross = withFee(amountOut, this.rate(aToB, { amount: u64(amountOut), included: false }));
      const amountIn = this.inputFor(aToB, gross);
      return this.settled(aToB, { amountIn, amountOut, fee: gross - amountOut, feeSide: 'output' });
    });
  }
}
