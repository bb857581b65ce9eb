import { BillionthFeePool, type FeeOf } from '#libs/chain/amm/billionth-fee-pool.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import { amountMoved, ceilDiv, priceAfterIn, priceAfterOut } from '#libs/chain/amm/q64-math.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import { orNull, refuse, u64 } from '#libs/chain/amm/refusal.js';
import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type DammPool, readDammPool } from './account.js';
import { meteoraDammV2 } from './decode.js';
import { constantBaseFee, feeGrows, feeRate } from './fee.js';

const ENABLED = 0;
const ACTIVATION_BY_SLOT = 0;
const FEE_ON_OUTPUT = 0;
const COMPOUNDING = 2;
const WITHOUT_AMOUNTS = 0;

/** Meteora DAMM v2: everything is in the pool's own account. */
export const meteoraDammV2Pools = accountPools({
  venue: meteoraDammV2.venue,
  program: meteoraDammV2.program,
  account: readDammPool,
  identity({ mintA, mintB, vaultA, vaultB, baseFee }) {
    const feePpm = constantBaseFee(baseFee) ? Math.min(Number(baseFee.cliff / 1000n), 1_000_000) : 0;
    return { mintA, mintB, vaultA, vaultB, feePpm };
  },
  read(pool, _, at) {
    if (pool.status !== ENABLED || pool.collectFeeMode > COMPOUNDING) return null;
    const point = pointOf(pool, at);
    if (point < pool.activationPoint || pool.liquidity === 0n) return null;
    return orNull(() => new DammState(pool, point));
  },
});

const pointOf = ({ activationType }: DammPool, at: ChainMoment): bigint =>
  activationType === ACTIVATION_BY_SLOT ? at.slot : at.unixTime;

class DammState extends BillionthFeePool implements SolanaPoolState {
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly spot: Ratio;

  /** Refuses a pool without a price. */
  constructor(
    private readonly pool: DammPool,
    private readonly point: bigint,
  ) {
    super();
    const { sqrtPrice, sqrtMinPrice, sqrtMaxPrice, liquidity } = pool;
    const compounding = pool.collectFeeMode === COMPOUNDING;
    const kept = compounding || pool.layoutVersion !== WITHOUT_AMOUNTS;
    this.reserveA = kept ? pool.amountA : amountMoved(sqrtPrice, sqrtMaxPrice, liquidity, true, true);
    this.reserveB = kept ? pool.amountB : amountMoved(sqrtMinPrice, sqrtPrice, liquidity, false, true);
    this.spot = compounding
      ? { numerator: this.reserveB, denominator: this.reserveA }
      : { numerator: sqrtPrice * sqrtPrice, denominator: 1n << 128n };
    if (this.spot.numerator === 0n || this.spot.denominator === 0n) refuse();
  }

  get feeGrows(): boolean {
    return feeGrows(this.pool.baseFee);
  }

  protected rate(aToB: boolean, of: FeeOf): bigint {
    return feeRate(this.pool, this.point, aToB, of);
  }

  protected feeOnInput(aToB: boolean): boolean {
    return this.pool.collectFeeMode !== FEE_ON_OUTPUT && !aToB;
  }

  protected outputFor(aToB: boolean, input: bigint): bigint {
    const { pool } = this;
    if (pool.collectFeeMode === COMPOUNDING) {
      const [reserveIn, reserveOut] = this.reserves(aToB);
      return (reserveOut * input) / u64(reserveIn + input);
    }
    const next = priceAfterIn(pool.sqrtPrice, pool.liquidity, input, aToB);
    return amountMoved(pool.sqrtPrice, this.inRange(next), pool.liquidity, !aToB, false);
  }

  protected inputFor(aToB: boolean, output: bigint): bigint {
    const { pool } = this;
    if (pool.collectFeeMode === COMPOUNDING) {
      const [reserveIn, reserveOut] = this.reserves(aToB);
      return output >= reserveOut ? refuse() : u64(ceilDiv(reserveIn * output, reserveOut - output));
    }
    const next = priceAfterOut(pool.sqrtPrice, pool.liquidity, output, aToB);
    return amountMoved(pool.sqrtPrice, this.inRange(next), pool.liquidity, aToB, true);
  }

  private inRange(price: bigint): bigint {
    return price < this.pool.sqrtMinPrice || price > this.pool.sqrtMaxPrice ? refuse() : price;
  }

  private reserves(aToB: boolean): [bigint, bigint] {
    return aToB ? [this.reserveA, this.reserveB] : [this.reserveB, this.reserveA];
  }

  /** The program keeps its two amounts in u64: a swap that leaves their range is refused, one without output is none. */
  protected settled(aToB: boolean, swap: CurveSwap): CurveSwap | null {
    const [reserveIn, reserveOut] = this.reserves(aToB);
    const onInput = swap.feeSide === 'input';
    u64(reserveIn + swap.amountIn - (onInput ? swap.fee : 0n));
    u64(reserveOut - swap.amountOut - (onInput ? 0n : swap.fee));
    return swap.amountOut === 0n || swap.amountIn === 0n ? null : swap;
  }
}
