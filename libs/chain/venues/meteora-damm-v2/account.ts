import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/**
 * Account of a Meteora DAMM v2 pool. All that a quote needs is in it: the price range, the fees and when they change.
 * Invariant: null for another account or one that is too short; nothing here throws.
 */
const POOL = ['f19a6d0411b16dbc'];
const SIZE = 697;

export const readDammPool = accountReader(POOL, SIZE, (at) => ({
  /** The fee's own bytes: three kinds share them; `mode` says which. */
  baseFee: {
    cliff: at.u64(8),
    /** 0 and 1: by time, linear and exponential; 2: rate limiter; 3 and 4: by price, linear and exponential. */
    mode: at.u8(16),
    /** Number of periods, or the rate limiter's increment in basis points. */
    first: at.u16(22),
    /** By time: length of a period. */
    period: at.u64(24),
    /** Rate limiter: how long it holds; by price: basis points of the square root of the price for a period. */
    second: at.u32(24),
    /** Rate limiter: most basis points; by price: how long it holds. */
    third: at.u32(28),
    /** What a period takes off the fee, or the rate limiter's reference amount. */
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
  /** Q128. */
  liquidity: at.u128(360),
  sqrtMinPrice: at.u128(424),
  sqrtMaxPrice: at.u128(440),
  sqrtPrice: at.u128(456),
  activationPoint: at.u64(472),
  /** 0: points are slots; 1: times. */
  activationType: at.u8(480),
  /** 0 is enabled. */
  status: at.u8(481),
  /** 0: fee on the output; 1: on token B; 2: on token B, part of it kept as liquidity, without a price range. */
  collectFeeMode: at.u8(484),
  feeVersion: at.u8(486),
  amountA: at.u64(680),
  amountB: at.u64(688),
  /** 0: the two amounts are not kept yet. */
  layoutVersion: at.u8(696),
}));
export type DammPool = AccountOf<typeof readDammPool>;
export type DammBaseFee = DammPool['baseFee'];
