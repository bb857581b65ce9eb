import { type ConcentratedPool, stepBoundary, tickIndexAtOrBelow } from './concentrated-swap.js';
import { divRoundingUp, priceAfterInput } from './sqrt-price-math.js';
import { inputBetween, outputBetween } from './swap-math.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.js';

/**
 * What a concentrated-liquidity pool gives for an exact input, and the most that it takes.
 * Invariant: the output and the fee of swapConcentrated without a price limit, where that takes the whole input; output
 * never falls when the input grows, and an input that is taken makes every smaller one taken.
 */
const FEE_UNIT = 1_000_000n;
const MAX_INT256 = (1n << 255n) - 1n;
const LOWEST_PRICE = MIN_SQRT_RATIO + 1n;
const HIGHEST_PRICE = MAX_SQRT_RATIO - 1n;

/** The pool does not take the whole input. */
export const NOT_TAKEN = -1n;

/** What a swap does besides moving amounts: what it costs in gas depends on it. */
export interface SwapWork {
  /** Initialised ticks that the price comes past. */
  readonly crossed: number;
  /** Words of the bitmap of ticks that it comes through, its first one included. */
  readonly words: number;
  /** The price ends in another tick than it began in. */
  readonly moved: boolean;
}

/**
 * Walks a swap of an exact input step by step, from one price to the next at which the contract stops. One object walks
 * once.
 */
export class ConcentratedWalk {
  private price: bigint;
  private tick: number;
  private liquidity: bigint;
  private index: number;
  private readonly fee: bigint;
  private readonly limit: bigint;

  constructor(
    private readonly pool: ConcentratedPool,
    private readonly zeroForOne: boolean,
  ) {
    this.price = pool.sqrtPriceX96;
    this.tick = pool.tick;
    this.liquidity = pool.liquidity;
    this.index = tickIndexAtOrBelow(pool.ticks, pool.tick);
    this.fee = BigInt(pool.feePpm);
    this.limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
  }

  /** NOT_TAKEN when the price limit is reached with input left. */
  output(amountIn: bigint): bigint {
    return this.swap(amountIn, 'output');
  }

  /** The fee that is part of the input; NOT_TAKEN as above. */
  feeOf(amountIn: bigint): bigint {
    return this.swap(amountIn, 'fee');
  }

  /** Of an input that is taken. */
  work(amountIn: bigint): SwapWork {
    const { pool, index } = this;
    const end = tickAtSqrtRatio(this.swap(amountIn, 'end'));
    return {
      crossed: Math.abs(tickIndexAtOrBelow(pool.ticks, end) - index),
      words: Math.abs(this.wordOf(end) - this.wordOf(pool.tick)) + 1,
      moved: end !== pool.tick,
    };
  }

  /** The output, the fee or the price at the end: most questions need one of them, and each has divisions of its own. */
  private swap(amountIn: bigint, wanted: 'output' | 'fee' | 'end'): bigint {
    const { zeroForOne, fee } = this;
    const kept = FEE_UNIT - fee;
    let remaining = amountIn;
    let sum = 0n;
    if (amountIn > MAX_INT256) return NOT_TAKEN;
    while (!this.ended) {
      const { price, liquidity } = this;
      const target = this.advance();
      if (liquidity === 0n) continue;
      const afterFee = (remaining * kept) / FEE_UNIT;
      if (endsBefore(price, target, liquidity, afterFee, zeroForOne)) {
        const end = priceAfterInput(price, liquidity, afterFee, zeroForOne);
        if (wanted === 'end') return end;
        if (wanted === 'fee') return sum + remaining - inputBetween(price, end, liquidity, zeroForOne);
        return sum + outputBetween(price, end, liquidity, zeroForOne);
      }
      const whole = inputBetween(price, target, liquidity, zeroForOne);
      const feeAmount = divRoundingUp(whole * fee, kept);
      remaining -= whole + feeAmount;
      if (wanted === 'fee') sum += feeAmount;
      else if (wanted === 'output') sum += outputBetween(price, target, liquidity, zeroForOne);
      if (remaining === 0n) return wanted === 'end' ? target : sum;
    }
    return NOT_TAKEN;
  }

  /** The most that the pool takes and gives at most `mostOutput` for. */
  mostInput(mostOutput: bigint): bigint {
    const { zeroForOne, fee } = this;
    const kept = FEE_UNIT - fee;
    let left = mostOutput;
    let input = 0n;
    while (!this.ended) {
      const { price, liquidity } = this;
      const target = this.advance();
      if (liquidity === 0n) continue;
      const whole = inputBetween(price, target, liquidity, zeroForOne);
      const output = outputBetween(price, target, liquidity, zeroForOne);
      const gross = whole + divRoundingUp(whole * fee, kept);
      if (output > left) return input + mostInputOfStep(price, liquidity, gross, left, kept, zeroForOne);
      input += gross;
      left -= output;
    }
    return input < MAX_INT256 ? input : MAX_INT256;
  }

  /** The word of the bitmap that a step from a tick looks at. */
  private wordOf(tick: number): number {
    const compressed = Math.floor(tick / this.pool.tickSpacing);
    return (this.zeroForOne ? compressed : compressed + 1) >> 8;
  }

  private get ended(): boolean {
    return this.zeroForOne ? this.price <= this.limit : this.price >= this.limit;
  }

  /** Moves to the furthest end of the next step and returns the price there. */
  private advance(): bigint {
    const { pool, zeroForOne, tick, index } = this;
    const bound = stepBoundary(tick, pool.tickSpacing, zeroForOne, this.liquidity);
    const candidate = pool.ticks[zeroForOne ? index : index + 1];
    const initialized = candidate !== undefined && (zeroForOne ? candidate.tick >= bound : candidate.tick <= bound);
    const next = initialized ? candidate.tick : bound;
    const price = sqrtRatioAtTick(next);
    if (zeroForOne ? price < this.limit : price > this.limit) {
      this.price = this.limit;
      return this.limit;
    }
    if (initialized) {
      this.liquidity += zeroForOne ? -candidate.liquidityNet : candidate.liquidityNet;
      this.index += zeroForOne ? -1 : 1;
    }
    this.tick = zeroForOne ? next - 1 : next;
    this.price = price;
    return price;
  }
}

/**
 * Whether an input after its fee is below `inputBetween(from, to)`, without its divisions: an integer is below a quotient
 * that is rounded up exactly when it is below the quotient itself.
 */
function endsBefore(from: bigint, to: bigint, liquidity: bigint, afterFee: bigint, zeroForOne: boolean): boolean {
  return zeroForOne
    ? afterFee * from * to < (liquidity << 96n) * (from - to)
    : afterFee << 96n < liquidity * (to - from);
}

/** The greatest input below `gross` for which one step gives at most `mostOutput`. */
function mostInputOfStep(
  price: bigint,
  liquidity: bigint,
  gross: bigint,
  mostOutput: bigint,
  kept: bigint,
  zeroForOne: boolean,
): bigint {
  let fits = 0n;
  let tooMuch = gross;
  while (tooMuch - fits > 1n) {
    const middle = (fits + tooMuch) >> 1n;
    const end = priceAfterInput(price, liquidity, (middle * kept) / FEE_UNIT, zeroForOne);
    if (outputBetween(price, end, liquidity, zeroForOne) <= mostOutput) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}
