import { linearFee, shrinkingFee, variableFee } from '#libs/chain/amm/billionth-fee.js';
import type { FeeOf } from '#libs/chain/amm/billionth-fee-pool.js';
import { type RateLimiter, rateOfExcluded, rateOfIncluded } from '#libs/chain/amm/rate-limiter.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import { least } from '#libs/core/bigint-order.js';
import type { DammBaseFee, DammPool } from './account.js';

/**
 * Fee rate of a DAMM v2 swap in parts per billion: the base fee at that point of time, price or amount, plus the fee for
 * volatility as the last swap left it, below the cap of the pool's version.
 */
const TIME_LINEAR = 0;
const TIME_EXPONENTIAL = 1;
const RATE_LIMITER = 2;
const PRICE_LINEAR = 3;
const PRICE_EXPONENTIAL = 4;

const BPS_RATE = 100_000n;
const BASIS_POINTS = 10_000n;
const CAPS = [500_000_000n, 990_000_000n];

export function feeRate(pool: DammPool, point: bigint, aToB: boolean, of: FeeOf): bigint {
  const cap = CAPS[pool.feeVersion] ?? refuse();
  const dynamic = pool.dynamicFee
    ? variableFee(BigInt(pool.variableFeeControl), pool.volatility, BigInt(pool.binStep))
    : 0n;
  const rate = u64(baseRate(pool, point, aToB, of) + dynamic);
  return least(rate, cap);
}

function baseRate(pool: DammPool, point: bigint, aToB: boolean, of: FeeOf): bigint {
  const fee = pool.baseFee;
  switch (fee.mode) {
    case TIME_LINEAR:
    case TIME_EXPONENTIAL:
      return scheduled(fee, fee.mode === TIME_LINEAR, periodsOfTime(pool, point));
    case PRICE_LINEAR:
    case PRICE_EXPONENTIAL:
      return scheduled(fee, fee.mode === PRICE_LINEAR, periodsOfPrice(pool, point));
    case RATE_LIMITER: {
      if (!limits(pool, point, aToB)) return fee.cliff;
      const limiter: RateLimiter = {
        cliff: fee.cliff,
        increment: BigInt(fee.first) * BPS_RATE,
        maxFee: BigInt(fee.third) * BPS_RATE,
        reference: fee.last,
      };
      return (of.included ? rateOfIncluded : rateOfExcluded)(limiter, of.amount);
    }
    default:
      return refuse();
  }
}

/** The fee after so many periods, none of them past the last; null means no schedule. */
function scheduled(fee: DammBaseFee, linear: boolean, passed: bigint | null): bigint {
  if (passed === null) return fee.cliff;
  const most = BigInt(fee.first);
  return (linear ? linearFee : shrinkingFee)(fee.cliff, fee.last, least(passed, most));
}

function periodsOfTime({ baseFee, activationPoint }: DammPool, point: bigint): bigint | null {
  if (baseFee.period === 0n) return null;
  return point < activationPoint ? BigInt(baseFee.first) : (point - activationPoint) / baseFee.period;
}

function periodsOfPrice({ baseFee, activationPoint, initSqrtPrice, sqrtPrice }: DammPool, point: bigint): bigint {
  const end = u64(activationPoint + BigInt(baseFee.third));
  if (point > end || point < activationPoint) return BigInt(baseFee.first);
  if (sqrtPrice <= initSqrtPrice) return 0n;
  if (initSqrtPrice === 0n || baseFee.second === 0) return refuse();
  return ((sqrtPrice - initSqrtPrice) * BASIS_POINTS) / initSqrtPrice / BigInt(baseFee.second);
}

/** Only purchases with token B are limited, for a while after the start. */
function limits({ baseFee, activationPoint }: DammPool, point: bigint, aToB: boolean): boolean {
  const { first, second, third, last } = baseFee;
  if (first === 0 && second === 0 && third === 0 && last === 0n) return false;
  return !aToB && point >= activationPoint && point <= activationPoint + BigInt(second);
}

/** Whether the base fee is the same at any time and for any amount. */
export const constantBaseFee = ({ mode, first, second, third, last, period }: DammBaseFee): boolean =>
  mode === RATE_LIMITER
    ? first === 0 && second === 0 && third === 0 && last === 0n
    : mode <= TIME_EXPONENTIAL && (period === 0n || last === 0n || first === 0);

/** Whether the base fee takes a larger share of a larger purchase. */
export const feeGrows = (fee: DammBaseFee): boolean => fee.mode === RATE_LIMITER && !constantBaseFee(fee);
