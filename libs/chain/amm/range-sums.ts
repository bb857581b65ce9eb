import type { TickRecord } from '#libs/protocol/blocks.js';
import { tickIndexAtOrBelow } from './concentrated-swap.js';
import { amount0Between, amount1Between, type RangedPool } from './quote-depth.js';
import { sqrtRatioAtTick } from './tick-math.js';

/** Up to each tick: the sum of what the whole ranges below it hold. */
type Sums = bigint[];

/**
 * What the ranges between neighbouring ticks hold, summed once, so that the depth of a pool that only swaps is two searches
 * instead of a walk over its ticks. Of one set of ticks; another needs new sums.
 * Invariant: an answer is what `quoteDepth` gives, to the unit.
 */
export class RangeSums {
  /** Up to each tick, itself included. */
  private readonly nets: bigint[] = [];
  /** Liquidity below all ticks that the sums are of: nothing, unless the pool states another liquidity than its ticks. */
  private below = 0n;
  private sums: [Sums | null, Sums | null] = [null, null];

  constructor(private readonly ticks: readonly TickRecord[]) {
    let net = 0n;
    for (const { liquidityNet } of ticks) {
      net += liquidityNet;
      this.nets.push(net);
    }
  }

  /** Null where the pool's price is not in the range of its tick: only a walk says what that gives. */
  depth({ sqrtPriceX96, tick, liquidity }: Omit<RangedPool, 'ticks'>, ofToken0: boolean): bigint | null {
    const at = tickIndexAtOrBelow(this.ticks, tick);
    const below = liquidity - (at < 0 ? 0n : this.nets[at]!);
    if (below !== this.below) {
      this.below = below;
      this.sums = [null, null];
    }
    if (sqrtPriceX96 <= 0n) return null;
    return ofToken0 ? this.depth0(sqrtPriceX96, at) : this.depth1(sqrtPriceX96, at);
  }

  private depth1(price: bigint, at: number): bigint | null {
    const limit = price >> 1n;
    const start = at < 0 ? limit : this.root(at);
    if (start > price) return null;
    if (start <= limit) return amount1Between(this.active(at), limit, price) >> 96n;
    const last = this.lastAtOrBelow(limit, -1, at - 1);
    const sums = this.sumsOf(1, amount1Between);
    const near = amount1Between(this.active(at), start, price);
    const far = amount1Between(this.active(last), limit, this.root(last + 1));
    return (near + sums[at]! - sums[last + 1]! + far) >> 96n;
  }

  private depth0(price: bigint, at: number): bigint | null {
    const limit = price << 1n;
    const first = at + 1;
    const end = first === this.ticks.length ? limit : this.root(first);
    if (end < price) return null;
    if (end >= limit) return amount0Between(this.active(at), price, limit) >> 64n;
    const last = this.lastAtOrBelow(limit, first, this.ticks.length - 1);
    const sums = this.sumsOf(0, amount0Between);
    const near = amount0Between(this.active(at), price, end);
    const far = amount0Between(this.active(last), this.root(last), limit);
    return (near + sums[last]! - sums[first]! + far) >> 64n;
  }

  /** Of the ticks from `low` to `high` the last one whose price is at most that; `low` where none after it is. */
  private lastAtOrBelow(price: bigint, low: number, high: number): number {
    let [found, above] = [low, high + 1];
    while (above - found > 1) {
      const middle = (found + above) >> 1;
      if (this.root(middle) <= price) found = middle;
      else above = middle;
    }
    return found;
  }

  private sumsOf(side: 0 | 1, between: (liquidity: bigint, low: bigint, high: bigint) => bigint): Sums {
    const known = this.sums[side];
    if (known !== null) return known;
    const sums: Sums = [0n];
    this.sums[side] = sums;
    let sum = 0n;
    for (let at = 0; at + 1 < this.ticks.length; at++) {
      sum += between(this.active(at), this.root(at), this.root(at + 1));
      sums.push(sum);
    }
    return sums;
  }

  private root(at: number): bigint {
    return sqrtRatioAtTick(this.ticks[at]!.tick);
  }

  /** Liquidity of the range above a tick; -1: below all of them. */
  private active(at: number): bigint {
    return at < 0 ? this.below : this.below + this.nets[at]!;
  }
}
