import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/**
 * Account of a Meteora DAMM v2 pool. All that a quote needs is in it: the price range, the fees and when they change.
 * Invariant: null for another account or one that is too short; nothing here throws.
 */
const POOL = [bytesOfHex('f19a6d0411b16dbc')];
const SIZE = 697;

/** The fee's own bytes: three kinds share them; `mode` says which. */
export interface DammBaseFee {
  readonly cliff: bigint;
  /** 0 and 1: by time, linear and exponential; 2: rate limiter; 3 and 4: by price, linear and exponential. */
  readonly mode: number;
  /** Number of periods, or the rate limiter's increment in basis points. */
  readonly first: number;
  /** By time: length of a period. */
  readonly period: bigint;
  /** Rate limiter: how long it holds; by price: basis points of the square root of the price for a period. */
  readonly second: number;
  /** Rate limiter: most basis points; by price: how long it holds. */
  readonly third: number;
  /** What a period takes off the fee, or the rate limiter's reference amount. */
  readonly last: bigint;
}

export interface DammPool {
  readonly baseFee: DammBaseFee;
  readonly compoundingFeeBps: number;
  readonly protocolFeePercent: number;
  readonly dynamicFee: boolean;
  readonly variableFeeControl: number;
  readonly binStep: number;
  readonly volatility: bigint;
  readonly initSqrtPrice: bigint;
  readonly mintA: string;
  readonly mintB: string;
  readonly vaultA: string;
  readonly vaultB: string;
  /** Q128. */
  readonly liquidity: bigint;
  readonly sqrtMinPrice: bigint;
  readonly sqrtMaxPrice: bigint;
  readonly sqrtPrice: bigint;
  readonly activationPoint: bigint;
  /** 0: points are slots; 1: times. */
  readonly activationType: number;
  /** 0 is enabled. */
  readonly status: number;
  /** 0: fee on the output; 1: on token B; 2: on token B, part of it kept as liquidity, without a price range. */
  readonly collectFeeMode: number;
  readonly feeVersion: number;
  readonly amountA: bigint;
  readonly amountB: bigint;
  /** 0: the two amounts are not kept yet. */
  readonly layoutVersion: number;
}

export function readDammPool(data: Uint8Array): DammPool | null {
  const at = AccountData.of(data, POOL, SIZE);
  if (at === null) return null;
  return {
    baseFee: {
      cliff: at.u64(8),
      mode: at.u8(16),
      first: at.u16(22),
      period: at.u64(24),
      second: at.u32(24),
      third: at.u32(28),
      last: at.u64(32),
    },
    protocolFeePercent: at.u8(48),
    compoundingFeeBps: at.u16(54),
    dynamicFee: at.u8(56) !== 0,
    variableFeeControl: at.u32(68),
    binStep: at.u16(72),
    volatility: at.u128(120),
    initSqrtPrice: at.u128(152),
    mintA: at.key(168),
    mintB: at.key(200),
    vaultA: at.key(232),
    vaultB: at.key(264),
    liquidity: at.u128(360),
    sqrtMinPrice: at.u128(424),
    sqrtMaxPrice: at.u128(440),
    sqrtPrice: at.u128(456),
    activationPoint: at.u64(472),
    activationType: at.u8(480),
    status: at.u8(481),
    collectFeeMode: at.u8(484),
    feeVersion: at.u8(486),
    amountA: at.u64(680),
    amountB: at.u64(688),
    layoutVersion: at.u8(696),
  };
}
