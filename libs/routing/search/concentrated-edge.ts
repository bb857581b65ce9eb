import { ConcentratedWalk, NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { tickIndexAtOrBelow } from '#libs/chain/amm/concentrated-swap.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import { BOUND_MARGIN, type PoolEdge } from './pool-edge.js';

const FEE_UNIT = 1_000_000;
const Q96 = 2 ** 96;
const LOWEST_PRICE = MIN_SQRT_RATIO + 1n;
const HIGHEST_PRICE = MAX_SQRT_RATIO - 1n;

/**
 * One direction of a concentrated-liquidity pool. Invariant: that of PoolEdge. The bound is the real-valued curve: at
 * each initialised tick the sums of what went in and came out, computed from the current price outwards, only as far as
 * a caller asked. Differences of prices and sums of liquidity are made in integers, so that no float cancels.
 */
export class ConcentratedEdge implements PoolEdge {
  private version = -1;
  /** At stop k: input with fees and output up to it, the root of the price, the liquidity beyond. */
  private inputs: number[] = [];
  private outputs: number[] = [];
  private roots: number[] = [];
  private liquidities: number[] = [];
  /** No stop comes after the last: what is beyond its input is not taken. */
  private ended = false;
  private index = 0;
  private price = 0n;
  private liquidity = 0n;
  private most: bigint | null = null;
  private readonly kept: number;

  constructor(
    readonly pool: LivePool,
    readonly zeroForOne: boolean,
  ) {
    this.kept = (FEE_UNIT - pool.feePpm) / FEE_UNIT;
  }

  usable(): boolean {
    const { pool } = this;
    if (pool.version !== this.version) this.follow();
    return pool.quotable && this.price > 0n && (this.liquidity > 0n || pool.ticks.length > 0);
  }

  upper(amountIn: number): number {
    const { inputs } = this;
    while (!this.ended && amountIn >= inputs[inputs.length - 1]!) this.extend();
    let low = 0;
    let high = inputs.length - 1;
    // The last stop at or below the amount.
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (inputs[middle]! <= amountIn) low = middle;
      else high = middle - 1;
    }
    let output = this.outputs[low]!;
    const liquidity = this.liquidities[low]!;
    if (liquidity > 0 && low < inputs.length - 1) {
      const root = this.roots[low]!;
      const rest = (amountIn - inputs[low]!) * this.kept;
      output += this.zeroForOne
        ? (liquidity * root * root * rest) / (liquidity + rest * root)
        : rest / (root * (root + rest / liquidity));
    }
    return Math.floor(output * BOUND_MARGIN);
  }

  mostOutput(): number {
    while (!this.ended) this.extend();
    return this.outputs[this.outputs.length - 1]! * BOUND_MARGIN;
  }

  exact(amountIn: bigint): bigint {
    if (this.ended && Number(amountIn) > this.capacityUpper()) return NOT_TAKEN;
    return new ConcentratedWalk(this.pool, this.zeroForOne).output(amountIn);
  }

  capacityUpper(): number {
    while (!this.ended) this.extend();
    // One unit a stop: the contract rounds inputs up.
    return this.inputs[this.inputs.length - 1]! * BOUND_MARGIN + ROUNDED_UP;
  }

  capacity(): bigint {
    this.most ??= new ConcentratedWalk(this.pool, this.zeroForOne).mostInput(1n << 256n);
    return this.most;
  }

  mostInput(mostOutput: bigint): bigint {
    return new ConcentratedWalk(this.pool, this.zeroForOne).mostInput(mostOutput);
  }

  fee(amountIn: bigint): bigint {
    return new ConcentratedWalk(this.pool, this.zeroForOne).feeOf(amountIn);
  }

  private follow(): void {
    const { pool, zeroForOne } = this;
    this.version = pool.version;
    this.most = null;
    this.price = pool.sqrtPriceX96;
    this.liquidity = pool.liquidity;
    this.inputs = [0];
    this.outputs = [0];
    this.roots = [Number(this.price) / Q96];
    this.liquidities = [Number(this.liquidity)];
    this.ended = zeroForOne ? this.price <= LOWEST_PRICE : this.price >= HIGHEST_PRICE;
    this.index = tickIndexAtOrBelow(pool.ticks, pool.tick) + (zeroForOne ? 0 : 1);
  }

  /** Lays down the next stop. */
  private extend(): void {
    const { zeroForOne, inputs, outputs, roots, liquidities } = this;
    const next = this.pool.ticks[this.index];
    const last = inputs.length - 1;
    const limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
    let price = next === undefined ? limit : sqrtRatioAtTick(next.tick);
    if (zeroForOne ? price <= limit : price >= limit) {
      price = limit;
      this.ended = true;
    }
    const root = Number(price) / Q96;
    const difference = Number(zeroForOne ? this.price - price : price - this.price) / Q96;
    const amount1 = liquidities[last]! * difference;
    const amount0 = amount1 / (roots[last]! * root);
    inputs.push(inputs[last]! + (zeroForOne ? amount0 : amount1) / this.kept);
    outputs.push(outputs[last]! + (zeroForOne ? amount1 : amount0));
    if (next !== undefined) this.liquidity += zeroForOne ? -next.liquidityNet : next.liquidityNet;
    roots.push(root);
    liquidities.push(Number(this.liquidity));
    this.price = price;
    this.index += zeroForOne ? -1 : 1;
  }
}

/**
 * Stops of a swap over the whole range, words of ticks included. Each rounds the input and its fee up by less than one.
 */
const ROUNDED_UP = 2 * (2 * 887_272);
