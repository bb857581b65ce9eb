/**
 * One stretch of a curve in real numbers: of an input, the part `keptIn` stays after the fee; for n of that it gives
 * price · n / (1 + bend · n), of which the part `keptOut` is left to the trader.
 */
export interface CurveStretch {
  readonly price: number;
  /** 0 where it has one price; otherwise one over its reserve of the input, virtual or not. */
  readonly bend: number;
  /** Most that it takes, after the fee. */
  readonly net: number;
  readonly keptIn: number;
  readonly keptOut: number;
}

/** The stretches that follow; null at the end of the curve. */
export type NextStretches = () => readonly CurveStretch[] | null;

/** Most stretches that a curve keeps: beyond them it has the last price before fees. */
const MOST_STRETCHES = 256;

/**
 * One direction of a pool in real numbers, with the fees that it takes at each price, where every stretch is made when an amount
 * first comes to it. Invariant: where a program rounds against the trader at every step, an output is never below what any
 * input up to this one gives, and an input never above what any output from this one on costs, but for the error of floats,
 * which BOUND_MARGIN is for.
 */
export class RealCurve {
  private readonly stretches: CurveStretch[] = [];
  /** Before each stretch, and after the last. */
  private readonly paid = [0];
  private readonly given = [0];
  private ended = false;

  constructor(private readonly next: NextStretches) {}

  output(input: number): number {
    const { paid, given, stretches } = this;
    while (!this.ended && paid[paid.length - 1]! < input) this.extend();
    const at = Math.min(lastBelow(paid, input), stretches.length - 1);
    if (at < 0) return 0;
    const { price, bend, net, keptIn, keptOut } = stretches[at]!;
    const taken = (input - paid[at]!) * keptIn;
    return taken < net ? given[at]! + ((price * taken) / (1 + bend * taken)) * keptOut : given[at + 1]!;
  }

  /** Infinite where the curve gives less. */
  input(output: number): number {
    const { paid, given, stretches } = this;
    while (!this.ended && given[given.length - 1]! < output) this.extend();
    const at = lastBelow(given, output);
    const stretch = stretches[at];
    if (stretch === undefined) return Number.POSITIVE_INFINITY;
    const { price, bend, net, keptIn, keptOut } = stretch;
    const gross = (output - given[at]!) / keptOut;
    const left = price - bend * gross;
    const taken = left > 0 ? gross / left : net;
    return taken < net ? paid[at]! + taken / keptIn : paid[at + 1]!;
  }

  private extend(): void {
    const { stretches, paid, given } = this;
    const more = stretches.length < MOST_STRETCHES ? this.next() : [this.beyond()];
    if (more === null || stretches.length > MOST_STRETCHES) {
      this.ended = true;
      return;
    }
    for (const stretch of more) {
      const { price, bend, net, keptIn, keptOut } = stretch;
      const gross = Number.isFinite(net) ? (price * net) / (1 + bend * net) : price / bend;
      stretches.push(stretch);
      paid.push(paid[paid.length - 1]! + net / keptIn);
      given.push(given[given.length - 1]! + gross * keptOut);
    }
  }

  private beyond(): CurveStretch {
    const { price, bend, net } = this.stretches.at(-1)!;
    return { price: price / (1 + bend * net) ** 2, bend: 0, net: Number.POSITIVE_INFINITY, keptIn: 1, keptOut: 1 };
  }
}

/** Place of the last sum that is below an amount; 0 where none is. */
function lastBelow(sums: readonly number[], amount: number): number {
  let [low, high] = [0, sums.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sums[middle]! < amount) low = middle;
    else high = middle;
  }
  return low;
}
