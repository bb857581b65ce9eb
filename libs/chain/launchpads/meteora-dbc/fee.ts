import { linearFee, shrinkingFee, variableFee } from '#libs/chain/amm/billionth-fee.js';
import type { FeeOf } from '#libs/chain/amm/billionth-fee-pool.js';
import { type RateLimiter, rateOfExcluded, rateOfIncluded } from '#libs/chain/amm/rate-limiter.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import { least } from '#libs/core/bigint-order.js';
import type { DbcConfig, DbcPool } from './account.js';

/**
 * Fee rate of a swap on the curve in parts per billion: the base fee at that point of time or for that amount, plus the
 * fee for volatility as the last swap left it, at most 99%.
 */
const LINEAR = 0;
const EXPONENTIAL = 1;
const RATE_LIMITER = 2;
const BPS_RATE = 100_000n;
const MAX_FEE = 990_000_000n;

export function feeRate(pool: DbcPool, config: DbcConfig, point: bigint, sell: boolean, of: FeeOf): bigint {
  const dynamic = config.dynamicFee
    ? variableFee(BigInt(config.variableFeeControl), pool.volatility, BigInt(config.binStep))
    : 0n;
  return least(baseRate(pool, config, point, sell, of) + dynamic, MAX_FEE);
}

function baseRate(pool: DbcPool, config: DbcConfig, point: bigint, sell: boolean, of: FeeOf): bigint {
  const { cliffFee, firstFactor, secondFactor, thirdFactor, baseFeeMode } = config;
  if (baseFeeMode === LINEAR || baseFeeMode === EXPONENTIAL) {
    if (secondFactor === 0n) return cliffFee;
    const periods = least(u64(point - pool.activationPoint) / secondFactor, BigInt(firstFactor));
    return (baseFeeMode === LINEAR ? linearFee : shrinkingFee)(cliffFee, thirdFactor, periods);
  }
  if (baseFeeMode !== RATE_LIMITER) return refuse();
  if (sell || constantBaseFee(config) || point > pool.activationPoint + secondFactor) return cliffFee;
  const limiter: RateLimiter = {
    cliff: cliffFee,
    increment: BigInt(firstFactor) * BPS_RATE,
    maxFee: MAX_FEE,
    reference: thirdFactor,
  };
  return (of.included ? rateOfIncluded : rateOfExcluded)(limiter, of.amount);
}

/** Whether the base fee is the same at any time and for any amount. */
function constantBaseFee({ baseFeeMode, firstFactor, secondFactor, thirdFactor }: DbcConfig): boolean {
  if (baseFeeMode === RATE_LIMITER) return firstFactor === 0 && secondFactor === 0n && thirdFactor === 0n;
  return secondFactor === 0n;
}

/** Whether the base fee takes a larger share of a larger purchase. */
export const feeGrows = (config: DbcConfig): boolean => config.baseFeeMode === RATE_LIMITER && !constantBaseFee(config);
