import { clmmPrices, MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import { refuse } from '#libs/chain/amm/refusal.js';
import type { DynamicFeeState } from './account.js';

/**
 * Fee rate of one swap as it moves from tick spacing to tick spacing. Invariant: the rate and the price at which it next
 * changes are the program's at every step.
 */
export interface SwapFee {
  /** Rate of the next step in parts per million. */
  rate(): bigint;
  /** How far the rate holds on the way to the target. */
  bound(target: bigint, liquidity: bigint): bigint;
  /** After a step that ended at this price; `stop` is the next tick of the path. */
  moved(sqrtPrice: bigint, stop: { readonly tick: number; readonly sqrtPrice: bigint }): void;
  /** As it is now, for another swap that came as far. */
  copy(): SwapFee;
}

export const fixedFee = (rate: number): SwapFee => {
  const ppm = BigInt(rate);
  const fee: SwapFee = { rate: () => ppm, bound: (target) => target, moved: () => undefined, copy: () => fee };
  return fee;
};

const VOLATILITY_SCALE = 10_000;
const REDUCTION_UNIT = 10_000n;
/** The control's unit times the square of the volatility's. */
const CONTROL_UNIT = 100_000n * 10_000n * 10_000n;
/** In parts per million: no rate that changes is above it. */
export const MAX_RATE = 100_000;
const MAX_U32 = 0xffff_ffff;

export class DynamicFee implements SwapFee {
  private readonly reference: number;
  private readonly base: number;
  private index: number;
  private volatility: number;
  private skipped = false;

  constructor(
    private readonly state: DynamicFeeState,
    private readonly baseRate: number,
    private readonly spacing: number,
    private readonly aToB: boolean,
    tick: number,
    now: bigint,
  ) {
    if (state.maxVolatility * spacing > MAX_U32) refuse();
    this.index = Math.floor(tick / spacing);
    const reference = referenceAt(state, this.index, now);
    this.reference = reference.index;
    this.base = reference.volatility;
    this.volatility = this.base;
  }

  rate(): bigint {
    this.updateVolatility();
    const crossed = BigInt(this.volatility) * BigInt(this.spacing);
    const dynamic = (this.state.control * crossed * crossed + CONTROL_UNIT - 1n) / CONTROL_UNIT;
    const total = BigInt(this.baseRate) + dynamic;
    return total > MAX_RATE ? BigInt(MAX_RATE) : total;
  }

  bound(target: bigint, liquidity: bigint): bigint {
    this.skipped = liquidity === 0n || this.volatility === this.state.maxVolatility;
    if (this.skipped) return target;
    const edge = (this.aToB ? this.index : this.index + 1) * this.spacing;
    const price = clmmPrices.at(Math.max(MIN_TICK, Math.min(MAX_TICK, edge)));
    return (this.aToB ? target > price : target < price) ? target : price;
  }

  moved(sqrtPrice: bigint, stop: { readonly tick: number; readonly sqrtPrice: bigint }): void {
    // A step without stops ends at the next tick, unless it is the swap's last.
    if (this.skipped && sqrtPrice === stop.sqrtPrice) {
      const onEdge = !this.aToB && stop.tick % this.spacing === 0;
      this.index = Math.floor(stop.tick / this.spacing) - (onEdge ? 1 : 0);
      if (this.volatility !== this.state.maxVolatility) this.updateVolatility();
    }
    this.index += this.aToB ? -1 : 1;
  }

  copy(): DynamicFee {
    return Object.assign(Object.create(DynamicFee.prototype) as DynamicFee, this);
  }

  private updateVolatility(): void {
    const distance = Math.abs(this.reference - this.index);
    this.volatility = Math.min(this.base + distance * VOLATILITY_SCALE, this.state.maxVolatility);
  }
}

/** Where the volatility is counted from: kept for a while, then decayed, then forgotten. */
function referenceAt(state: DynamicFeeState, index: number, now: bigint): { index: number; volatility: number } {
  const elapsed = now > state.lastUpdate ? now - state.lastUpdate : 0n;
  if (elapsed < state.filterPeriod) return { index: state.indexReference, volatility: state.volatilityReference };
  if (elapsed >= state.decayPeriod) return { index, volatility: 0 };
  return { index, volatility: Number((BigInt(state.volatility) * state.reductionFactor) / REDUCTION_UNIT) };
}
