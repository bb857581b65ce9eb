import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import {
  constantProductCapacity,
  constantProductMostInput,
  constantProductOutput,
} from '#libs/chain/amm/constant-product.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import { BOUND_MARGIN, type PoolEdge } from './pool-edge.js';

const FEE_UNIT = 1_000_000;

/** One direction of a constant-product pool. Invariant: that of PoolEdge; the floats are of the pool's present version. */
export class ConstantProductEdge implements PoolEdge {
  private version = -1;
  private reserveIn = 0n;
  private reserveOut = 0n;
  /** Both scaled as the formula takes them: the input's reserve by the unit of the fee. */
  private scaledIn = Number.NaN;
  private floatOut = Number.NaN;
  private readonly kept: number;

  constructor(
    readonly pool: LivePool,
    readonly zeroForOne: boolean,
  ) {
    this.kept = FEE_UNIT - pool.feePpm;
  }

  usable(): boolean {
    const { pool } = this;
    if (pool.version !== this.version) this.follow();
    return pool.quotable && this.floatOut > 0 && this.scaledIn > 0;
  }

  upper(amountIn: number): number {
    const paid = amountIn * this.kept;
    return Math.floor(((paid * this.floatOut) / (this.scaledIn + paid)) * BOUND_MARGIN);
  }

  mostOutput(): number {
    return this.floatOut * BOUND_MARGIN;
  }

  exact(amountIn: bigint): bigint {
    const { reserveIn, reserveOut } = this;
    if (amountIn > constantProductCapacity(reserveIn)) return NOT_TAKEN;
    return constantProductOutput(amountIn, reserveIn, reserveOut, this.pool.feePpm) ?? 0n;
  }

  capacityUpper(): number {
    return Number(constantProductCapacity(this.reserveIn)) * BOUND_MARGIN;
  }

  capacity(): bigint {
    return constantProductCapacity(this.reserveIn);
  }

  mostInput(mostOutput: bigint): bigint {
    return constantProductMostInput(mostOutput, this.reserveIn, this.reserveOut, this.pool.feePpm);
  }

  fee(amountIn: bigint): bigint {
    return (amountIn * BigInt(this.pool.feePpm)) / BigInt(FEE_UNIT);
  }

  private follow(): void {
    const { pool, zeroForOne } = this;
    this.version = pool.version;
    this.reserveIn = zeroForOne ? pool.reserve0 : pool.reserve1;
    this.reserveOut = zeroForOne ? pool.reserve1 : pool.reserve0;
    this.scaledIn = Number(this.reserveIn) * FEE_UNIT;
    this.floatOut = Number(this.reserveOut);
  }
}
