import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/**
 * Accounts of Meteora's dynamic bonding curve: the pool, and the config that holds its curve, fees and threshold. Both
 * exist a second time, with other discriminators, for tokens with a transfer hook; their first bytes are laid out alike.
 * Invariant: null for whatever is none of them or too short; nothing here throws.
 */
const POOL = [bytesOfHex('d5e005d16245775c'), bytesOfHex('eddbb8172abda923')];
const POOL_SIZE = 312;
const CONFIG = [bytesOfHex('1a6c0e7b74e6812b'), bytesOfHex('28dcc2fb29c77bfd')];
const CURVE = 408;
const POINTS = 20;
const POINT_SIZE = 32;
const CONFIG_SIZE = CURVE + POINTS * POINT_SIZE;

/** Whether a pool's token has a transfer hook: other instructions swap it. */
export const hasHook = (data: Uint8Array): boolean => AccountData.of(data, [POOL[1]!], POOL_SIZE) !== null;

export interface DbcPool {
  readonly volatility: bigint;
  readonly config: string;
  readonly baseMint: string;
  readonly baseVault: string;
  readonly quoteVault: string;
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly sqrtPrice: bigint;
  readonly activationPoint: bigint;
}

export function readDbcPool(data: Uint8Array): DbcPool | null {
  const at = AccountData.of(data, POOL, POOL_SIZE);
  if (at === null) return null;
  return {
    volatility: at.u128(40),
    config: at.key(72),
    baseMint: at.key(136),
    baseVault: at.key(168),
    quoteVault: at.key(200),
    baseReserve: at.u64(232),
    quoteReserve: at.u64(240),
    sqrtPrice: at.u128(280),
    activationPoint: at.u64(296),
  };
}

/** Up to this square root of the price (Q64.64) the curve has this liquidity (Q128). */
interface CurvePoint {
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
}

export interface DbcConfig {
  readonly quoteMint: string;
  readonly cliffFee: bigint;
  /** Number of periods, or the rate limiter's increment in basis points. */
  readonly firstFactor: number;
  /** Length of a period, or how long the rate limiter holds. */
  readonly secondFactor: bigint;
  /** What a period takes off the fee, or the rate limiter's reference amount. */
  readonly thirdFactor: bigint;
  /** 0: linear schedule; 1: exponential one; 2: rate limiter. */
  readonly baseFeeMode: number;
  readonly dynamicFee: boolean;
  readonly variableFeeControl: number;
  readonly binStep: number;
  /** 0: fee on the quote token; 1: on the output. */
  readonly collectFeeMode: number;
  /** 0: points of time are slots; 1: times. */
  readonly activationType: number;
  readonly migrationQuoteThreshold: bigint;
  readonly migrationBaseThreshold: bigint;
  readonly migrationSqrtPrice: bigint;
  /** Base tokens that are locked for later. */
  readonly vested: bigint;
  readonly sqrtStartPrice: bigint;
  /** All twenty; those behind the last one in use are zero. */
  readonly curve: readonly CurvePoint[];
}

export function readDbcConfig(data: Uint8Array): DbcConfig | null {
  const at = AccountData.of(data, CONFIG, CONFIG_SIZE);
  if (at === null) return null;
  return {
    quoteMint: at.key(8),
    cliffFee: at.u64(104),
    secondFactor: at.u64(112),
    thirdFactor: at.u64(120),
    firstFactor: at.u16(128),
    baseFeeMode: at.u8(130),
    dynamicFee: at.u8(136) !== 0,
    variableFeeControl: at.u32(148),
    binStep: at.u16(152),
    collectFeeMode: at.u8(232),
    activationType: at.u8(234),
    migrationQuoteThreshold: at.u64(264),
    migrationBaseThreshold: at.u64(272),
    migrationSqrtPrice: at.u128(280),
    vested: at.u64(328) + at.u64(296) * at.u64(320),
    sqrtStartPrice: at.u128(392),
    curve: Array.from({ length: POINTS }, (_, point) => ({
      sqrtPrice: at.u128(CURVE + point * POINT_SIZE),
      liquidity: at.u128(CURVE + point * POINT_SIZE + 16),
    })),
  };
}
