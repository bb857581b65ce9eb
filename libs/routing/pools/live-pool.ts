import { quoteDepth } from '#libs/chain/amm/quote-depth.js';
import { type PoolRecord, poolKinds, statesPrice, type TickRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact, SetApart } from '#libs/protocol/facts.js';
import type { SpilledPool } from './pool-spill-store.js';
import { RecordedPool } from './recorded-pool.js';

/**
 * One pool as the facts left it. Invariant: every state is absolute and carries its own seq; a state of an older seq
 * changes nothing. Only an anchored pool that was not contradicted since may be quoted; one that is set apart is not anchored.
 */
export class LivePool extends RecordedPool {
  reserve0 = 0n;
  reserve1 = 0n;
  sqrtPriceX96 = 0n;
  tick = 0;
  liquidity = 0n;
  anchored: boolean;
  setApart: SetApart | null = null;
  /** Seq of the group that its state is of. */
  seq: number;
  /** Moves with every change of the state. */
  version = 0;
  /** Seq of the state that the chain contradicted; null while none did. */
  private distrustedAt: number | null = null;
  private readonly byTick = new Map<number, TickRecord>();
  private sorted: readonly TickRecord[] | null = null;

  constructor(record: PoolRecord, seq: number) {
    super(record);
    this.anchored = record.created;
    this.seq = seq;
  }

  /** As it was when it was put on the shelf. */
  static from({ record, state, seq, distrustedAt }: SpilledPool): LivePool {
    const pool = new LivePool(record, seq);
    pool.set(state, seq);
    pool.distrustedAt = distrustedAt;
    return pool;
  }

  /** Parts per million. */
  get feePpm(): number {
    return this.record.feePpm;
  }

  get tickSpacing(): number {
    return this.record.tickSpacing;
  }

  /** Whether amounts computed from it may be handed out. */
  get quotable(): boolean {
    return this.anchored && this.distrustedAt === null;
  }

  get distrusted(): boolean {
    return this.distrustedAt !== null;
  }

  /**
   * The chain's own quoter disagrees: not quoted until the log brings a later state that does not derive from this one:
   * an anchor or, on constant product, the next reserves.
   */
  distrust(): void {
    this.distrustedAt = this.seq;
  }

  /** Initialised ticks, ascending; the same array until one of them changes. */
  get ticks(): readonly TickRecord[] {
    this.sorted ??= [...this.byTick.values()].sort((a, b) => a.tick - b.tick);
    return this.sorted;
  }

  /** How much of one of its tokens is behind its price, as in PoolState of the fold on a chain that tells of ranges. */
  depthOf(token0: boolean): bigint {
    const held = token0 ? this.reserve0 : this.reserve1;
    if (!poolKinds[this.kind].inRanges || held <= 0n) return held;
    const depth = quoteDepth(this, token0);
    if (depth > held) return held;
    return depth;
  }

  /** Applies the state of a group; false when the pool already has a newer one. */
  set(state: PoolStateFact, seq: number): boolean {
    if (seq < this.seq) return false;
    const whole = state.concentrated?.ticksComplete ?? true;
    if (whole && this.distrustedAt !== null && seq > this.distrustedAt) this.distrustedAt = null;
    this.seq = seq;
    this.version++;
    this.reserve0 = state.reserve0;
    this.reserve1 = state.reserve1;
    this.anchored = state.anchored;
    this.setApart = state.setApart;
    const { concentrated } = state;
    if (concentrated === null) return true;
    this.sqrtPriceX96 = concentrated.sqrtPriceX96;
    this.tick = concentrated.tick;
    this.liquidity = concentrated.liquidity;
    if (concentrated.ticksComplete) {
      this.byTick.clear();
      this.sorted = null;
    }
    for (const tick of concentrated.ticks) {
      if (tick.liquidityGross === 0n) this.byTick.delete(tick.tick);
      else this.byTick.set(tick.tick, tick);
      this.sorted = null;
    }
    return true;
  }

  /** All that it is, as plain values. */
  copy(): SpilledPool {
    const { record, seq, distrustedAt } = this;
    return { record, state: this.whole(), seq, distrustedAt };
  }

  /** The whole state, as a fact. */
  whole(): PoolStateFact {
    const { reserve0, reserve1, sqrtPriceX96, tick, liquidity, anchored, setApart } = this;
    const concentrated = statesPrice(this.kind)
      ? { sqrtPriceX96, tick, liquidity, ticks: [...this.ticks], ticksComplete: true }
      : null;
    return { pool: this.id, reserve0, reserve1, concentrated, anchored, setApart };
  }
}
