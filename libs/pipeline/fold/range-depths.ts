import { tickIndexAtOrBelow } from '#libs/chain/amm/concentrated-swap.js';
import { quoteDepth } from '#libs/chain/amm/quote-depth.js';
import { RangeSums } from '#libs/chain/amm/range-sums.js';
import type { TickRecord } from '#libs/protocol/blocks.js';

/** Price and active liquidity of a pool, and how often its numbers were set. */
interface RangedState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly changes: number;
  readonly ticks: ReadonlyMap<number, TickRecord>;
}

interface KnownDepth {
  changes: number;
  depth: bigint;
  /** Not: there is at least so much. */
  whole: boolean;
}

/** What a pool's ranges pay near its price, worked out when it is asked for. Invariant: what it keeps follows from the pool's ticks. */
export class RangeDepths {
  /** Of the ticks, ascending; made when it is asked for, and kept in step from then on. */
  private sorted: TickRecord[] | null = null;
  /** Of `sorted`; asked for twice before they are made, since a pool whose ticks change with each swap would not use them. */
  private sums: RangeSums | 'asked' | null = null;
  private readonly known: [KnownDepth | null, KnownDepth | null] = [null, null];

  /** At most `held`; with `enough` any answer from there on may be given for the whole. */
  depth(pool: RangedState, side: 0 | 1, held: bigint, enough?: bigint): bigint {
    const known = this.known[side];
    const { sqrtPriceX96, tick, liquidity, changes } = pool;
    if (known?.changes === changes && (known.whole || (enough !== undefined && known.depth >= enough)))
      return known.depth;
    const ticks = this.sortedOf(pool.ticks);
    let depth = enough === undefined ? this.summed(pool, ticks, side === 0) : null;
    depth ??= quoteDepth({ sqrtPriceX96, tick, liquidity, ticks }, side === 0, enough);
    if (depth > held) depth = held;
    this.known[side] = { changes, depth, whole: enough === undefined || depth < enough };
    return depth;
  }

  sortedOf(ticks: ReadonlyMap<number, TickRecord>): readonly TickRecord[] {
    this.sorted ??= [...ticks.values()].sort((a, b) => a.tick - b.tick);
    return this.sorted;
  }

  /** What is added to the active liquidity while the price goes from one tick's range to another's. */
  netBetween(ticks: ReadonlyMap<number, TickRecord>, from: number, to: number): bigint {
    const sorted = this.sortedOf(ticks);
    const [low, high] = [from, to].map((tick) => tickIndexAtOrBelow(sorted, tick)).sort((a, b) => a - b);
    let net = 0n;
    for (let at = low! + 1; at <= high!; at++) net += sorted[at]!.liquidityNet;
    return from <= to ? net : -net;
  }

  private summed(pool: RangedState, ticks: readonly TickRecord[], ofToken0: boolean): bigint | null {
    if (this.sums === null) {
      this.sums = 'asked';
      return null;
    }
    if (this.sums === 'asked') this.sums = new RangeSums(ticks);
    return this.sums.depth(pool, ofToken0);
  }

  /** A tick is another one, or gone (null). */
  changed(tick: number, record: TickRecord | null): void {
    this.sums = null;
    const { sorted } = this;
    if (sorted === null) return;
    const at = tickIndexAtOrBelow(sorted, tick);
    const there = sorted[at]?.tick === tick;
    if (record === null) {
      if (there) sorted.splice(at, 1);
    } else if (there) sorted[at] = record;
    else sorted.splice(at + 1, 0, record);
  }
}
