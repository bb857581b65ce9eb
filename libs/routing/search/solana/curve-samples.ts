import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';

/** One swap of a pool apart from its fees: `net` goes into the curve, `gross` comes out of it. */
export interface CurveSample {
  readonly net: number;
  readonly gross: number;
  readonly feeIn: number;
  readonly feeOut: number;
}

const TOP = 63;
/** Any usual fee leaves enough of the second one. */
const TRIES_ABOVE = 2;
const POWERS = Float64Array.from({ length: TOP + 1 }, (_, power) => 2 ** power);

/**
 * Swaps of one direction of a pool at powers of two, computed when first asked for. Invariant: the sample for an amount is
 * of the greatest power of two at or below it unless said otherwise; null where that is refused.
 */
export class CurveSamples {
  private readonly inputs: (CurveSample | null | undefined)[] = [];
  private readonly outputs: (CurveSample | null | undefined)[] = [];

  constructor(
    private readonly state: SolanaPoolState,
    private readonly aToB: boolean,
  ) {}

  input(amount: number): CurveSample | null {
    return this.inputAt(powerBelow(amount));
  }

  /**
   * Of one of the least powers of two of which at least the amount goes into the curve. A fee that grows with the input may
   * leave less of a larger one; null where it leaves less of all of them.
   */
  inputAbove(amount: number): CurveSample | null {
    let power = powerBelow(amount);
    if (POWERS[power]! < amount) power++;
    for (let tries = 0; tries < TRIES_ABOVE && power <= TOP; tries++, power++) {
      const sample = this.inputAt(power);
      if (sample === null || sample.net >= amount) return sample;
    }
    return null;
  }

  private inputAt(power: number): CurveSample | null {
    let sample = this.inputs[power];
    if (sample === undefined) {
      sample = sampleOf(this.state.exactIn(this.aToB, 1n << BigInt(power)));
      this.inputs[power] = sample;
    }
    return sample;
  }

  output(amount: number): CurveSample | null {
    const power = powerBelow(amount);
    let sample = this.outputs[power];
    if (sample === undefined) {
      sample = sampleOf(this.state.exactOut(this.aToB, 1n << BigInt(power)));
      this.outputs[power] = sample;
    }
    return sample;
  }
}

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
/** The half of a float with its exponent. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** The exponent of an amount of one or more, as its float has it. */
function powerBelow(amount: number): number {
  float[0] = amount;
  return Math.min(TOP, (words[HIGH]! >>> 20) - 1023);
}

function sampleOf(swap: CurveSwap | null): CurveSample | null {
  if (swap === null) return null;
  const { amountIn, amountOut, fee, feeSide } = swap;
  const [feeIn, feeOut] = feeSide === 'input' ? [fee, 0n] : [0n, fee];
  const net = Number(amountIn - feeIn);
  return net > 0 ? { net, gross: Number(amountOut + feeOut), feeIn: Number(feeIn), feeOut: Number(feeOut) } : null;
}
