import { MAX_TICK, MIN_TICK, whirlpoolPrices, whirlpoolTickAt } from '#libs/chain/amm/q64/tick-price.js';
import { refuse } from '#libs/chain/amm/refusal.js';
import { greatest, least } from '#libs/core/bigint-order.js';
import type { AdaptiveFeeOracle } from './account.js';

/**
 * Fee rate of one swap as it moves through groups of ticks. Invariant: the rate and the price at which it next changes are
 * the program's at every step; a state that the program refuses or cannot compute is refused.
 */
export interface SwapFee {
  /** Rate of the next step in parts per million. */
  rate(): bigint;
  /** How far the rate holds on the way to the target. */
  bound(target: bigint, liquidity: bigint): bigint;
  /** After the step that ended at this price; `stop` is the next tick of the path. */
  moved(sqrtPrice: bigint, stop: { readonly tick: number; readonly sqrtPrice: bigint }): void;
  /** As it is now, for another swap that came as far. */
  copy(): SwapFee;
}

export const staticFee = (feeRate: number): SwapFee => {
  const rate = BigInt(feeRate);
  const fee: SwapFee = { rate: () => rate, bound: (target) => target, moved: () => undefined, copy: () => fee };
  return fee;
};

const VOLATILITY_SCALE = 10_000;
const REDUCTION_UNIT = 10_000n;
/** Control factor's unit times the square of the volatility's. */
const CONTROL_UNIT = 100_000n * 10_000n * 10_000n;
const MAX_RATE = 100_000n;
const MAX_REFERENCE_AGE = 3_600n;
const MAX_U32 = 0xffff_ffff;

interface CoreBound {
  readonly group: number;
  readonly sqrtPrice: bigint;
}

export class AdaptiveFee implements SwapFee {
  private readonly reference: number;
  private readonly base: number;
  /** Beyond these groups the volatility is at its most, and the rate is constant. */
  private readonly lower: CoreBound | null;
  private readonly upper: CoreBound | null;
  private group: number;
  private volatility: number;
  /** Whether the last bound was taken without stops at the groups' edges. */
  private skipped = false;

  constructor(
    private readonly oracle: AdaptiveFeeOracle,
    private readonly feeRate: number,
    private readonly aToB: boolean,
    tick: number,
    now: bigint,
  ) {
    const { tickGroupSize: size, maxVolatility } = oracle;
    if (maxVolatility * size > MAX_U32) refuse();
    this.group = Math.floor(tick / size);
    const reference = referenceAt(oracle, this.group, now);
    this.reference = reference.group;
    this.base = reference.volatility;
    this.volatility = this.base;
    if (maxVolatility < this.base) refuse();
    const reach = Math.ceil((maxVolatility - this.base) / VOLATILITY_SCALE);
    const lowest = this.reference - reach;
    const highest = this.reference + reach;
    this.lower = lowest * size > MIN_TICK ? coreBound(lowest, lowest * size) : null;
    this.upper = (highest + 1) * size < MAX_TICK ? coreBound(highest, (highest + 1) * size) : null;
  }

  rate(): bigint {
    this.updateVolatility();
    const crossed = BigInt(this.volatility) * BigInt(this.oracle.tickGroupSize);
    const adaptive = (this.oracle.controlFactor * crossed * crossed + CONTROL_UNIT - 1n) / CONTROL_UNIT;
    const total = BigInt(this.feeRate) + adaptive;
    return total > MAX_RATE ? MAX_RATE : total;
  }

  bound(target: bigint, liquidity: bigint): bigint {
    const { aToB, group, lower, upper } = this;
    this.skipped = true;
    if (this.oracle.controlFactor === 0n || liquidity === 0n) return target;
    if (lower !== null && group < lower.group) return aToB ? target : least(target, lower.sqrtPrice);
    if (upper !== null && group > upper.group) return aToB ? greatest(target, upper.sqrtPrice) : target;
    this.skipped = false;
    const edge = (aToB ? group : group + 1) * this.oracle.tickGroupSize;
    const edgePrice = whirlpoolPrices.at(Math.max(MIN_TICK, Math.min(MAX_TICK, edge)));
    return aToB ? greatest(target, edgePrice) : least(target, edgePrice);
  }

  moved(sqrtPrice: bigint, stop: { readonly tick: number; readonly sqrtPrice: bigint }): void {
    if (this.skipped) {
      const last = this.lastGroup(sqrtPrice, stop);
      if (this.aToB ? last < this.group : last > this.group) {
        this.group = last;
        this.updateVolatility();
      }
    }
    this.group += this.aToB ? -1 : 1;
  }

  copy(): AdaptiveFee {
    return Object.assign(Object.create(AdaptiveFee.prototype) as AdaptiveFee, this);
  }

  /** The group that the price went through last; on an edge, the one that it comes from. */
  private lastGroup(sqrtPrice: bigint, stop: { readonly tick: number; readonly sqrtPrice: bigint }): number {
    const size = this.oracle.tickGroupSize;
    const atStop = sqrtPrice === stop.sqrtPrice;
    const tick = atStop ? stop.tick : whirlpoolTickAt(sqrtPrice);
    const onEdge = tick % size === 0 && (atStop || sqrtPrice === whirlpoolPrices.at(tick));
    return onEdge && !this.aToB ? tick / size - 1 : Math.floor(tick / size);
  }

  private updateVolatility(): void {
    const distance = Math.abs(this.reference - this.group);
    this.volatility = Math.min(this.base + distance * VOLATILITY_SCALE, this.oracle.maxVolatility);
  }
}

const coreBound = (group: number, tick: number): CoreBound =>
  tick < MIN_TICK || tick > MAX_TICK ? refuse() : { group, sqrtPrice: whirlpoolPrices.at(tick) };

/** Where the volatility is counted from: kept for a while, then decayed, then forgotten. */
function referenceAt(oracle: AdaptiveFeeOracle, group: number, now: bigint): { group: number; volatility: number } {
  const { lastReferenceUpdate, lastMajorSwap, filterPeriod, decayPeriod } = oracle;
  const newest = greatest(lastReferenceUpdate, lastMajorSwap);
  if (now < newest) refuse();
  if (now - lastReferenceUpdate > MAX_REFERENCE_AGE) return { group, volatility: 0 };
  const elapsed = now - newest;
  if (elapsed < filterPeriod) return { group: oracle.tickGroupReference, volatility: oracle.volatilityReference };
  if (elapsed >= decayPeriod) return { group, volatility: 0 };
  return { group, volatility: Number((BigInt(oracle.volatility) * oracle.reductionFactor) / REDUCTION_UNIT) };
}
