import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { RealCurve } from '#libs/chain/amm/real-curve.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { SolanaBookPool } from '#libs/routing/pools/solana/book-pool.js';
import { BOUND_MARGIN, type PoolEdge } from '../pool-edge.js';
import { CurveSamples } from './curve-samples.js';

/** What the edge reads of a pool. */
export type SolanaRoutedPool = Pick<
  SolanaBookPool,
  'id' | 'token0' | 'token1' | 'venue' | 'kind' | 'version' | 'quotable' | 'state' | 'aIsToken0'
>;

const U64_MAX = (1n << 64n) - 1n;
const U64_FLOAT = 2 ** 64;
/**
 * Units that a swap may lose to rounding on either side: fees and steps of a concentrated pool are rounded each on its own,
 * in up to 2,000 steps.
 */
const ROUNDED_STEPS = 2_000;
const ROUNDED_ONCE = 8;
const NEAR_RESERVE = 8;
/** Swaps that an edge remembers in either way. */
const REMEMBERED = 32;

/**
 * One direction of a Solana pool of any venue. Invariant: that of PoolEdge, and `lower` is never above what `exactOut`
 * asks. Where the pool states its curve in real numbers, bounds are those of the curve. All others use the spot price, which
 * is the best of any swap, and the reserve. Those of a constant product also use the price before fees of a smaller swap,
 * which is better, and its fees, which are no larger. Those of any other curve, whose prices may move in coarse steps, also
 * use what a larger swap gives and a smaller one costs.
 */
export class SolanaPoolEdge implements PoolEdge<SolanaRoutedPool> {
  private version = -1;
  private state: SolanaPoolState | null = null;
  private aToB = true;
  /** Units of output for one of input before fees. */
  private spot = 0;
  private most = 0;
  private reserve = 0;
  private samples!: CurveSamples;
  private least: bigint | null = null;
  private largest: bigint | null = null;
  private readonly inputs = new Map<bigint, CurveSwap | null>();
  private readonly outputs = new Map<bigint, CurveSwap | null>();
  private curve: RealCurve | null = null;
  private feeGrows = false;
  private readonly slack: number;
  private readonly isProduct: boolean;

  constructor(
    readonly pool: SolanaRoutedPool,
    readonly zeroForOne: boolean,
  ) {
    this.isProduct = pool.kind === 'constant-product';
    this.slack = this.isProduct ? ROUNDED_ONCE : ROUNDED_STEPS;
  }

  usable(): boolean {
    const { pool } = this;
    if (!pool.quotable) return false;
    if (pool.version !== this.version) this.follow();
    return this.state !== null;
  }

  upper(amountIn: number): number {
    if (!(amountIn >= 1)) return 0;
    const amount = Math.min(amountIn, U64_FLOAT);
    const { slack, samples, curve } = this;
    if (curve !== null) return Math.floor(Math.min(curve.output(amount), this.most) * BOUND_MARGIN);
    let bound = Math.min(amount * this.spot, this.most);
    if (this.isProduct) {
      const below = samples.input(amount);
      if (below !== null && below.net > 2 * slack) {
        const gross = ((below.gross + slack) / (below.net - slack)) * (amount - below.feeIn);
        bound = Math.min(bound, gross - below.feeOut + slack);
      }
    } else {
      const above = samples.inputAbove(amount);
      if (above !== null) bound = Math.min(bound, above.gross - (this.feeGrows ? 0 : above.feeOut) + slack);
    }
    return Math.floor(bound * BOUND_MARGIN);
  }

  /** At most what any output from this one on costs; infinite when none is given. */
  lower(amountOut: number): number {
    if (!(amountOut >= 1)) return 0;
    if (amountOut > this.most * BOUND_MARGIN) return Number.POSITIVE_INFINITY;
    const { slack, curve } = this;
    if (curve !== null) return Math.max(1, Math.floor(curve.input(amountOut / BOUND_MARGIN) / BOUND_MARGIN));
    let bound = amountOut / this.spot;
    const below = this.samples.output(amountOut);
    if (below !== null && this.isProduct && amountOut + below.feeOut >= below.gross) {
      const net = (Math.max(0, below.net - slack) / below.gross) * (amountOut + below.feeOut);
      bound = Math.max(bound, net + below.feeIn - slack);
    } else if (below !== null) bound = Math.max(bound, below.net + below.feeIn - slack);
    return Math.max(1, Math.floor(bound / BOUND_MARGIN));
  }

  /** The output of this input bounds those of smaller inputs, apart from rounding, where the fee takes no larger share of it. */
  tightUpper(amountIn: number, upper: number): number {
    if (this.isClose() || this.feeGrows || amountIn >= U64_FLOAT) return upper;
    const swap = this.swapIn(BigInt(Math.ceil(amountIn)));
    return swap === null ? upper : Math.min(upper, Math.ceil(Number(swap.amountOut) * BOUND_MARGIN) + this.slack);
  }

  /** The cost of this output bounds that of larger outputs, apart from rounding. */
  tightLower(amountOut: number, lower: number): number {
    if (this.isClose() || !(amountOut < U64_FLOAT)) return lower;
    const swap = this.swapOut(BigInt(Math.floor(amountOut)));
    return swap === null ? lower : Math.max(lower, Math.floor(Number(swap.amountIn) / BOUND_MARGIN) - this.slack);
  }

  /** Whether a swap would bring the bounds hardly nearer. */
  private isClose(): boolean {
    return this.isProduct || this.curve !== null;
  }

  /** Whether an input is worth a large part of the pool's reserve. */
  inputNearsReserve(amountIn: number): boolean {
    return amountIn * this.spot > this.reserve / NEAR_RESERVE;
  }

  outputNearsReserve(amountOut: number): boolean {
    return amountOut > this.reserve / NEAR_RESERVE;
  }

  /** About what an input gives at most, by the spot price and what the pool holds. */
  depthFor(amountIn: number): number {
    return amountIn > 0 ? Math.min(amountIn * this.spot, this.reserve) : 0;
  }

  mostOutput(): number {
    return this.most * BOUND_MARGIN;
  }

  /** The program's swap of this input; null when it does not take it whole, apart from rounding, or gives nothing. */
  swapIn(amountIn: bigint): CurveSwap | null {
    return remembered(this.inputs, amountIn, () => this.state!.exactIn(this.aToB, amountIn));
  }

  /** The least input that gives at least this output; null when none does. */
  swapOut(amountOut: bigint): CurveSwap | null {
    return remembered(this.outputs, amountOut, () => this.state!.exactOut(this.aToB, amountOut));
  }

  exact(amountIn: bigint): bigint {
    if (amountIn === 0n) return 0n;
    const swap = amountIn > U64_MAX ? null : this.swapIn(amountIn);
    if (swap !== null) return swap.amountOut;
    return amountIn < this.leastInput() ? 0n : NOT_TAKEN;
  }

  capacityUpper(): number {
    return U64_FLOAT;
  }

  capacity(): bigint {
    this.largest ??= this.largestInput(() => true);
    return this.largest;
  }

  mostInput(mostOutput: bigint): bigint {
    return this.largestInput(({ amountOut }) => amountOut <= mostOutput);
  }

  fee(amountIn: bigint): bigint {
    const swap = this.swapIn(amountIn);
    if (swap === null) return 0n;
    const { fee, feeSide, amountOut } = swap;
    return feeSide === 'input' ? fee : (amountIn * fee + amountOut + fee - 1n) / (amountOut + fee);
  }

  /** The least input that gives anything; beyond all amounts when none does. */
  private leastInput(): bigint {
    if (this.least === null) {
      const asked = this.state!.exactOut(this.aToB, 1n)?.amountIn ?? null;
      this.least = asked !== null && this.swapIn(asked) !== null ? asked : this.leastGiving();
    }
    return this.least;
  }

  /**
   * Some programs refuse an exact output that is worth less than a unit of input, and give more for that unit; of some, the
   * instruction that names the output asks a unit less than the one that names the input, and some sell for no exact output.
   */
  private leastGiving(): bigint {
    const { state, aToB } = this;
    const gives = (amountIn: bigint): boolean => state!.exactIn(aToB, amountIn) !== null;
    let high = 1n;
    while (high <= U64_MAX && !gives(high)) high <<= 1n;
    if (high > U64_MAX) return U64_MAX + 1n;
    let low = high >> 1n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (gives(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  /** The largest input whose swap fits, found by halving, as if all inputs from the least one up to it fit. */
  private largestInput(fits: (swap: CurveSwap) => boolean): bigint {
    const { state, aToB } = this;
    let low = this.leastInput() - 1n;
    let high = U64_MAX;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      const swap = state!.exactIn(aToB, middle);
      if (swap !== null && fits(swap)) low = middle;
      else high = middle - 1n;
    }
    return low;
  }

  private follow(): void {
    const { pool, zeroForOne } = this;
    const { state } = pool;
    this.version = pool.version;
    this.state = state;
    this.aToB = zeroForOne === pool.aIsToken0;
    this.least = null;
    this.largest = null;
    this.inputs.clear();
    this.outputs.clear();
    this.curve = null;
    if (state === null) return;
    const { aToB } = this;
    const { numerator, denominator } = state.spot;
    const [a, b] = aToB ? [numerator, denominator] : [denominator, numerator];
    // A curve that begins at a price of nothing states no spot.
    this.spot = a > 0n && b > 0n ? quotient(a, b) : Number.POSITIVE_INFINITY;
    // A concentrated pool may pay out of what its vault keeps for others.
    this.reserve = Number(aToB ? state.reserveB : state.reserveA);
    this.most = pool.kind === 'concentrated' ? U64_FLOAT : this.reserve;
    this.samples = new CurveSamples(state, aToB);
    this.curve = state.curve?.(aToB) ?? null;
    this.feeGrows = state.feeGrows === true;
  }
}

function remembered(
  known: Map<bigint, CurveSwap | null>,
  amount: bigint,
  compute: () => CurveSwap | null,
): CurveSwap | null {
  let swap = known.get(amount);
  if (swap === undefined) {
    swap = compute();
    if (known.size >= REMEMBERED) known.clear();
    known.set(amount, swap);
  }
  return swap;
}

/** Of two whole numbers that a float may not hold. */
function quotient(a: bigint, b: bigint): number {
  const shift = 64 - (a.toString(2).length - b.toString(2).length);
  const widened = shift >= 0 ? (a << BigInt(shift)) / b : a / (b << BigInt(-shift));
  return Number(widened) * 2 ** -shift;
}
