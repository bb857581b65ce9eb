import { amountsOfLiquidity } from '#libs/chain/amm/liquidity-amounts.js';
import type { RangedPool } from '#libs/chain/amm/quote-depth.js';
import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import {
  type InitializeEvent,
  type LiquidityEvent,
  type PoolAnchor,
  type PoolFlowEvent,
  type PoolRecord,
  poolKinds,
  type ReservesEvent,
  type SwapEvent,
  type TickRecord,
  type VaultsEvent,
} from '#libs/protocol/blocks.js';
import type { SetApart } from '#libs/protocol/facts.js';
import type { KnownCurve } from './backing.js';
import { KnownSpots } from './known-spots.js';
import { isLiquidity, isPoolAmount, isTick, isTickIndex, whyNoPrice } from './pool-bounds.js';
import { NOTHING_KNOWN, type PoolScalars, type SavedPool, type StatedScalars } from './pool-scalars.js';
import { RangeDepths } from './range-depths.js';
import { type ShownAmounts, ShownTrades, type VaultMoves } from './shown-amounts.js';

/** What one block changed of a pool, as the values before it. */
export interface PoolUndo<Token extends FoldedPoolToken = FoldedPoolToken> {
  pool: PoolState<Token>;
  /** Null: the pool became known in this block. */
  before: SavedPool | null;
  /** First old value of every tick that the block set (null: there was none). */
  ticks: Map<number, TickRecord | null> | null;
  /** The block's anchor replaced the whole state. */
  replaced: boolean;
  /** How its vaults moved in the newest transaction of the block; null where that is not followed. */
  moves: VaultMoves | null;
}

/** Where the ticks of a pool are that was known before. */
export interface KnownTicks {
  ticksOf(pool: Hex): Map<number, TickRecord>;
}

/** What a pool needs of its tokens. */
export interface FoldedPoolToken {
  /** Null: not known. */
  readonly decimals: number | null;
}

/** What one pool says of its base token's price (references.ts). */
export interface PoolObservation<Token> {
  quote: Token;
  price: E36;
  /** Quote-side value in USD · 1e72. */
  weight: bigint;
}

interface KnownObservation<Token> {
  /** All that the observation follows from, but for decimals and rules: those of reference tokens never change. */
  changes: number;
  quoteUsd: E36;
  seen: PoolObservation<Token> | null;
}

/**
 * Live state of one pool.
 * Invariants: `anchored` means the amounts and ticks are the chain's own at this point of the log (created in the log,
 * anchored by a record, or absolute reserves were seen); until then amounts stay 0 and no tick is kept. Where the log
 * records the balances of the pool's vaults, those alone are the reserves: swaps and liquidity change none; where the
 * amounts of the kind follow from liquidity, the reserves are what its ranges hold at its price. Every change first leaves the
 * old value in the block's undo record. A tick with gross 0 is not kept. Amounts are never negative. Every number is within
 * its bounds (pool-bounds.ts): an event that would leave another sets the pool apart, with all of its numbers gone, until one
 * states the whole of them again: an anchor, reserves, or both vaults.
 */
export class PoolState<Token extends FoldedPoolToken = FoldedPoolToken> implements PoolScalars {
  reserve0 = 0n;
  reserve1 = 0n;
  sqrtPriceX96 = 0n;
  tick = 0;
  liquidity = 0n;
  anchored: boolean;
  setApart: SetApart | null = null;
  /** How often its numbers were set: what was computed from them holds while this stays. */
  changes = 0;
  /** What the state has of it, without ticks; null until the block that brought the pool ends. */
  saved: SavedPool | null = null;
  /** Null: not read yet. */
  private knownTicks: Map<number, TickRecord> | null;
  /** Undo record of the block that is being folded, when it already touched this pool. */
  undo: PoolUndo<Token> | null = null;
  readonly statesPrice: boolean;
  private readonly spots: KnownSpots;
  private readonly amountsFollow: boolean;
  /** Where a chain states vaults and not all that moves liquidity: whether `ticks` are all of the pool's. */
  rangesKnown = false;
  /** Of a pool with ranges on such a chain: what backs its price while they are not known. */
  private readonly trades: ShownTrades | null;
  private readonly depths = new RangeDepths();
  /** Of reference pools, by the side of the base: most do not move in most blocks. */
  readonly observations: [KnownObservation<Token> | null, KnownObservation<Token> | null] = [null, null];
  /** What a sale of either token brings (part-curve.ts). */
  readonly curves: [KnownCurve | null, KnownCurve | null] = [null, null];

  constructor(
    readonly record: PoolRecord,
    readonly token0: Token,
    readonly token1: Token,
    readonly statedByVaults: boolean,
    private readonly before: KnownTicks | null = null,
  ) {
    this.knownTicks = before === null ? new Map() : null;
    this.anchored = record.created;
    this.spots = new KnownSpots(record.kind);
    this.statesPrice = poolKinds[record.kind].statesPrice;
    this.amountsFollow = poolKinds[record.kind].amounts === 'liquidity';
    const mayHideRanges = statedByVaults && poolKinds[record.kind].inRanges;
    this.trades = mayHideRanges && record.tickSpacing > 0 ? new ShownTrades() : null;
    this.rangesKnown = this.trades !== null && record.created;
  }

  get id(): Hex {
    return this.record.pool;
  }

  get shown(): ShownAmounts | null {
    return this.trades?.shown ?? null;
  }

  /** Whether its liquidity is in ranges of the price that are known. */
  get inRanges(): boolean {
    return poolKinds[this.record.kind].inRanges && (this.rangesKnown || !this.statedByVaults);
  }

  /** Read when they are asked for: most blocks move a pool inside of one range. */
  get ticks(): Map<number, TickRecord> {
    this.knownTicks ??= this.before!.ticksOf(this.id);
    return this.knownTicks;
  }

  other(token: Token): Token {
    return token === this.token0 ? this.token1 : this.token0;
  }

  reserveOf(token: Token): bigint {
    return token === this.token0 ? this.reserve0 : this.reserve1;
  }

  /**
   * How much of a token is behind the pool's price: what it holds of it, and where liquidity is in ranges no more than
   * what it pays near the price. With `enough` any answer from there on may be given for the whole.
   */
  depthOf(token: Token, enough?: bigint): bigint {
    const held = this.reserveOf(token);
    if (!poolKinds[this.record.kind].inRanges || held <= 0n) return held;
    const side = token === this.token0 ? 0 : 1;
    if (!this.inRanges) return this.depthWithoutRanges(side, held);
    return this.depths.depth(this, side, held, enough);
  }

  /** Of a pool whose liquidity is in ranges. */
  ranged(): RangedPool {
    const { sqrtPriceX96, tick, liquidity } = this;
    return { sqrtPriceX96, tick, liquidity, ticks: this.depths.sortedOf(this.ticks) };
  }

  /**
   * Of what the vaults hold. A pool without ticks has all of its liquidity in one range, the same at every price in it: it pays no
   * less than a constant product of the same reserves.
   */
  private depthWithoutRanges(side: 0 | 1, held: bigint): bigint {
    if (this.trades === null) return held;
    const shown = this.trades.amount(side);
    return shown < held ? shown : held;
  }

  /** Whole tokens of the other side for one whole `base`; null when the state or the decimals are unknown. */
  spotOf(base: Token): E36 | null {
    return this.spots.exact(this, base === this.token0, base.decimals, this.other(base).decimals);
  }

  /** The spot to about fifteen digits; NaN where there is none. Never decides an amount. */
  roughSpotOf(base: Token): number {
    return this.spots.rough(this, base === this.token0, base.decimals, this.other(base).decimals);
  }

  /** The value that the state has of it from now on. */
  toSave(): SavedPool {
    const { record, reserve0, reserve1, sqrtPriceX96, tick, liquidity, anchored, setApart, shown, rangesKnown } = this;
    return { record, reserve0, reserve1, sqrtPriceX96, tick, liquidity, anchored, setApart, shown, rangesKnown };
  }

  setScalars(to: StatedScalars & Partial<PoolScalars>): void {
    this.changes++;
    this.reserve0 = to.reserve0;
    this.reserve1 = to.reserve1;
    this.sqrtPriceX96 = to.sqrtPriceX96;
    this.tick = to.tick;
    this.liquidity = to.liquidity;
    this.anchored = to.anchored;
    this.setApart = to.setApart;
    if (this.trades !== null) this.trades.shown = to.shown ?? null;
    this.rangesKnown = to.rangesKnown ?? false;
  }

  // Events. The caller has made sure that `undo` is this block's record.

  applyReserves(event: ReservesEvent): void {
    if (this.statesPrice) return;
    this.state(event.reserve0, event.reserve1);
  }

  applyVaults(event: VaultsEvent): void {
    const { reserve0, reserve1 } = event;
    if (!this.anchored && (reserve0 === null || reserve1 === null)) return;
    const [moved0, moved1] = [(reserve0 ?? this.reserve0) - this.reserve0, (reserve1 ?? this.reserve1) - this.reserve1];
    if (this.anchored) this.trades?.vaultsMoved(this.undo!, event.tx, moved0, moved1);
    this.state(reserve0 ?? this.reserve0, reserve1 ?? this.reserve1);
  }

  /** On constant product the reserves event that comes with the swap carries the state. */
  applySwap(event: SwapEvent): void {
    if (!this.statesPrice || event.after === null || this.setApart !== null) return;
    const before = this.sqrtPriceX96;
    if (!this.move(event.after, this.liquidityAfter(event.after.tick, event.after.liquidity))) return;
    this.trades?.swapped(this.undo!, event, before);
    this.addBalances(event.amount0, event.amount1);
    this.followLiquidity();
  }

  applyInitialize(event: InitializeEvent): void {
    if (!this.statesPrice || this.setApart !== null) return;
    if (this.move(event, this.liquidityAfter(event.tick, this.liquidity))) this.followLiquidity();
  }

  applyLiquidity(event: LiquidityEvent): void {
    if (!this.statesPrice || this.setApart !== null) return;
    if (this.statedByVaults) this.followPosition(event);
    if (this.statedByVaults || event.liquidityDelta === 0n) return;
    if (!isTickIndex(event.tickLower) || !isTickIndex(event.tickUpper)) {
      this.setAside('ticks');
      return;
    }
    const inRange = event.tickLower <= this.tick && this.tick < event.tickUpper;
    // Without a price the active liquidity is unknown too: both come from the first swap or anchor.
    this.changes++;
    if (inRange && this.sqrtPriceX96 > 0n) this.liquidity += event.liquidityDelta;
    if (!isLiquidity(this.liquidity)) this.setAside('liquidity');
    if (!this.anchored) return;
    this.moveTick(event.tickLower, event.liquidityDelta, event.liquidityDelta);
    this.moveTick(event.tickUpper, event.liquidityDelta, -event.liquidityDelta);
    if (!this.anchored) return;
    if (event.liquidityDelta > 0n) this.addBalances(event.amount0, event.amount1);
    this.followLiquidity();
  }

  /** Where vaults are the reserves, a change that does not fit the ranges, or states none, means that they are not known. */
  private followPosition({ tx, tickLower, tickUpper, liquidityDelta, amount0, amount1 }: LiquidityEvent): void {
    this.changes++;
    if (liquidityDelta === 0n && amount0 === 0n && amount1 === 0n) this.trades?.forget();
    else this.trades?.left(this.undo!, tx, amount0, amount1);
    if (!this.rangesKnown) return;
    const inRange = this.sqrtPriceX96 > 0n && tickLower <= this.tick && this.tick < tickUpper;
    const liquidity = inRange ? this.liquidity + liquidityDelta : this.liquidity;
    const ticks = [
      this.tickWith(tickLower, liquidityDelta, liquidityDelta),
      this.tickWith(tickUpper, liquidityDelta, -liquidityDelta),
    ];
    if (liquidityDelta === 0n || tickLower >= tickUpper || !isLiquidity(liquidity) || !ticks.every(isTick)) {
      this.forgetRanges();
      return;
    }
    this.liquidity = liquidity;
    for (const tick of ticks) this.setTick(tick.tick, tick.liquidityGross > 0n ? tick : null);
  }

  private forgetRanges(): void {
    this.rangesKnown = false;
    this.liquidity = 0n;
    for (const tick of [...this.ticks.keys()]) this.setTick(tick, null);
  }

  /** As it is stated, or where the ranges are known and nothing states it, as they say. */
  private liquidityAfter(tick: number, stated: bigint): bigint {
    if (!this.rangesKnown) return stated;
    const from = this.sqrtPriceX96 === 0n ? Number.NEGATIVE_INFINITY : this.tick;
    const liquidity = this.liquidity + this.depths.netBetween(this.ticks, from, tick);
    if (isLiquidity(liquidity)) return liquidity;
    this.forgetRanges();
    return 0n;
  }

  applyFlow({ tx, amount0, amount1 }: PoolFlowEvent): void {
    if (!this.statesPrice) return;
    if (this.trades !== null) {
      this.changes++;
      this.trades.left(this.undo!, tx, amount0, amount1);
    }
    this.addBalances(amount0, amount1);
  }

  applyAnchor(anchor: PoolAnchor): void {
    if (!this.state(anchor.reserve0, anchor.reserve1)) return;
    const { concentrated, near } = anchor;
    if (near !== undefined) this.trades?.anchor(near);
    if (!this.statesPrice || concentrated === null || !this.move(concentrated, concentrated.liquidity)) return;
    for (const tick of [...this.ticks.keys()]) this.setTick(tick, null);
    for (const record of concentrated.ticks) {
      if (record.liquidityGross === 0n) continue;
      if (!isTick(record)) {
        this.setAside('ticks');
        return;
      }
      const { tick, liquidityGross, liquidityNet } = record;
      this.setTick(tick, { tick, liquidityGross, liquidityNet });
    }
    this.rangesKnown = this.trades !== null;
    this.followLiquidity();
  }

  /** Both amounts as they are; false when the pool is set apart instead. */
  private state(reserve0: bigint, reserve1: bigint): boolean {
    if (!isPoolAmount(reserve0) || !isPoolAmount(reserve1)) {
      this.setAside('amounts');
      return false;
    }
    this.changes++;
    this.reserve0 = reserve0;
    this.reserve1 = reserve1;
    this.anchored = true;
    this.setApart = null;
    return true;
  }

  /** The price and the active liquidity as they are; false when the pool is set apart instead. */
  private move({ sqrtPriceX96, tick }: { sqrtPriceX96: bigint; tick: number }, liquidity: bigint): boolean {
    const why = whyNoPrice(sqrtPriceX96, tick) ?? (isLiquidity(liquidity) ? null : 'liquidity');
    if (why !== null) {
      this.setAside(why);
      return false;
    }
    this.changes++;
    this.sqrtPriceX96 = sqrtPriceX96;
    this.tick = tick;
    this.liquidity = liquidity;
    return true;
  }

  /** What the log says of the pool cannot be: none of its numbers is known any more. */
  private setAside(why: SetApart): void {
    this.setScalars({ ...NOTHING_KNOWN, setApart: why });
    for (const tick of [...this.ticks.keys()]) this.setTick(tick, null);
  }

  /** Sets a tick (null: gone) after leaving its old value in the undo record. */
  private setTick(tick: number, record: TickRecord | null): void {
    const undo = this.undo!;
    undo.ticks ??= new Map();
    if (!undo.ticks.has(tick)) undo.ticks.set(tick, this.ticks.get(tick) ?? null);
    this.restoreTick(tick, record);
  }

  restoreTick(tick: number, record: TickRecord | null): void {
    if (record === null) this.ticks.delete(tick);
    else this.ticks.set(tick, record);
    this.changes++;
    this.depths.changed(tick, record);
  }

  private moveTick(tick: number, gross: bigint, net: bigint): void {
    if (!this.anchored) return;
    const record = this.tickWith(tick, gross, net);
    if (!isTick(record)) this.setAside('ticks');
    else this.setTick(tick, record.liquidityGross > 0n ? record : null);
  }

  private tickWith(tick: number, gross: bigint, net: bigint): TickRecord {
    const old = this.ticks.get(tick);
    const liquidityGross = (old?.liquidityGross ?? 0n) + gross;
    const liquidityNet = (old?.liquidityNet ?? 0n) + net;
    return { tick, liquidityGross, liquidityNet };
  }

  private addBalances(amount0: bigint, amount1: bigint): void {
    if (!this.anchored || this.statedByVaults || this.amountsFollow) return;
    this.changes++;
    this.reserve0 = notNegative(this.reserve0 + amount0);
    this.reserve1 = notNegative(this.reserve1 + amount1);
    if (!isPoolAmount(this.reserve0) || !isPoolAmount(this.reserve1)) this.setAside('amounts');
  }

  private followLiquidity(): void {
    if (!this.amountsFollow || !this.anchored || this.sqrtPriceX96 === 0n) return;
    const { amount0, amount1 } = amountsOfLiquidity(this.sqrtPriceX96, this.tick, this.ticks.values());
    this.changes++;
    this.reserve0 = amount0;
    this.reserve1 = amount1;
  }
}

/** A token that rebases can leave a pool with less than its events say; a balance below zero counts as zero. */
const notNegative = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
