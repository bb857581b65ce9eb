import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/**
 * Accounts of Meteora's dynamic bonding curve: the pool, and the config that holds its curve, fees and threshold. Both
 * exist a second time, with other discriminators, for tokens with a transfer hook; their first bytes are laid out alike.
 * Invariant: null for whatever is none of them or too short; nothing here throws.
 */
const POOL = ['d5e005d16245775c', 'eddbb8172abda923'];
const POOL_SIZE = 312;
const CONFIG = ['1a6c0e7b74e6812b', '28dcc2fb29c77bfd'];
const CURVE = 408;
const POINTS = 20;
const POINT_SIZE = 32;
const CONFIG_SIZE = CURVE + POINTS * POINT_SIZE;

/** Whether a pool's token has a transfer hook: other instructions swap it. */
export const hasHook = accountReader([POOL[1]!], POOL_SIZE, () => true);

export const readDbcPool = accountReader(POOL, POOL_SIZE, (at) => ({
  volatility: at.u128(40),
  config: at.key(72),
  baseMint: at.key(136),
  baseVault: at.key(168),
  quoteVault: at.key(200),
  baseReserve: at.u64(232),
  quoteReserve: at.u64(240),
  sqrtPrice: at.u128(280),
  activationPoint: at.u64(296),
}));
export type DbcPool = AccountOf<typeof readDbcPool>;

export const readDbcConfig = accountReader(CONFIG, CONFIG_SIZE, (at) => ({
  quoteMint: at.key(8),
  cliffFee: at.u64(104),
  /** Length of a period, or how long the rate limiter holds. */
  secondFactor: at.u64(112),
  /** What a period takes off the fee, or the rate limiter's reference amount. */
  thirdFactor: at.u64(120),
  /** Number of periods, or the rate limiter's increment in basis points. */
  firstFactor: at.u16(128),
  /** 0: linear schedule; 1: exponential one; 2: rate limiter. */
  baseFeeMode: at.u8(130),
  dynamicFee: at.u8(136) !== 0,
  variableFeeControl: at.u32(148),
  binStep: at.u16(152),
  /** 0: fee on the quote token; 1: on the output. */
  collectFeeMode: at.u8(232),
  /** 0: points of time are slots; 1: times. */
  activationType: at.u8(234),
  migrationQuoteThreshold: at.u64(264),
  migrationBaseThreshold: at.u64(272),
  migrationSqrtPrice: at.u128(280),
  /** Base tokens that are locked for later. */
  vested: at.u64(328) + at.u64(296) * at.u64(320),
  sqrtStartPrice: at.u128(392),
  /**
   * All twenty; those behind the last one in use are zero. Up to its square root of the price (Q64.64) the curve has its
   * liquidity (Q128).
   */
  curve: Array.from({ length: POINTS }, (_, point) => ({
    sqrtPrice: at.u128(CURVE + point * POINT_SIZE),
    liquidity: at.u128(CURVE + point * POINT_SIZE + 16),
  })),
}));
export type DbcConfig = AccountOf<typeof readDbcConfig>;
