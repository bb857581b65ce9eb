import { type AccountData, type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/**
 * Accounts of Raydium CLMM that a quote needs: the pool, its fee tier, its arrays of ticks and the extension of its bitmap.
 * Invariant: null for whatever is none of them or too short; nothing here throws.
 */
export const TICKS_PER_ARRAY = 60;
/** Words of 512 bits on each side in the extension; one such word on each side is in the pool itself. */
export const EXTENSION_WORDS = 14;
const WORD_BYTES = 64;

const POOL = ['f7ede3f5d7c3de46'];
const POOL_SIZE = 1544;
const CONFIG = ['daf42168cbcb2b6f'];
const CONFIG_SIZE = 57;
const ARRAY = ['c09b55cd31f9812a'];
const ARRAY_HEAD = 44;
const TICK_SIZE = 168;
const EXTENSION = ['3c9624db61808b99'];
const EXTENSION_HEAD = 40;
const EXTENSION_SIZE = EXTENSION_HEAD + 2 * EXTENSION_WORDS * WORD_BYTES;
const DYNAMIC_FEE_AT = 1096;
const DYNAMIC_FEE_SIZE = 80;
const SWAP_DISABLED = 1 << 4;

export const readClmmPool = accountReader(POOL, POOL_SIZE, (at) => {
  const tickSpacing = at.u16(235);
  if (tickSpacing === 0) return null;
  return {
    config: at.key(9),
    mintA: at.key(73),
    mintB: at.key(105),
    vaultA: at.key(137),
    vaultB: at.key(169),
    observation: at.key(201),
    tickSpacing,
    liquidity: at.u128(237),
    sqrtPrice: at.u128(253),
    tick: at.i32(269),
    /** Fees of the protocol and of the fund that are still in the vaults. */
    owedA: at.u64(309) + at.u64(1064),
    owedB: at.u64(317) + at.u64(1072),
    swapEnabled: (at.u8(389) & SWAP_DISABLED) === 0,
    /** 1: always token A; 2: always token B; else the input. */
    feeOn: at.u8(390),
    openTime: at.u64(1080),
    /** Null for pools whose fee does not follow volatility. */
    dynamicFee: readDynamicFee(at),
    /** Arrays from -512 to 511, one bit each. */
    bitmap: at.bytes(904, 2 * WORD_BYTES),
  };
});
export type ClmmPool = AccountOf<typeof readClmmPool>;
export type DynamicFeeState = NonNullable<ClmmPool['dynamicFee']>;

/** All zero where a pool has none. */
function readDynamicFee(at: AccountData) {
  const start = DYNAMIC_FEE_AT;
  if (at.bytes(start, DYNAMIC_FEE_SIZE).every((byte) => byte === 0)) return null;
  return {
    filterPeriod: BigInt(at.u16(start)),
    decayPeriod: BigInt(at.u16(start + 2)),
    reductionFactor: BigInt(at.u16(start + 4)),
    control: BigInt(at.u32(start + 6)),
    maxVolatility: at.u32(start + 10),
    indexReference: at.i32(start + 14),
    volatilityReference: at.u32(start + 18),
    volatility: at.u32(start + 22),
    lastUpdate: at.u64(start + 26),
  };
}

export const readClmmConfig = accountReader(CONFIG, CONFIG_SIZE, (at) => {
  const tradeFeeRate = at.u32(47);
  return tradeFeeRate < 1_000_000 ? { tradeFeeRate } : null;
});
/** Its rate is in parts per million. */
export type ClmmConfig = AccountOf<typeof readClmmConfig>;

/** An initialized tick: it has liquidity, limit orders, or both. */
interface ClmmTick {
  readonly tick: number;
  readonly liquidityNet: bigint;
  readonly liquidityGross: bigint;
  readonly hasLiquidity: boolean;
  /** Output that limit orders at the tick still offer, partly filled ones first. */
  readonly orders: bigint;
}

export interface ClmmTickArray {
  readonly start: number;
  /** In rising order. */
  readonly ticks: readonly ClmmTick[];
}

const tickArrayFields = accountReader(ARRAY, ARRAY_HEAD + TICKS_PER_ARRAY * TICK_SIZE, (at) => at);

export function readTickArray(data: Uint8Array, tickSpacing: number): ClmmTickArray | null {
  const at = tickArrayFields(data);
  if (at === null) return null;
  const start = at.i32(40);
  const ticks: ClmmTick[] = [];
  for (let place = 0; place < TICKS_PER_ARRAY; place++) {
    const from = ARRAY_HEAD + place * TICK_SIZE;
    const liquidityGross = at.u128(from + 20);
    const hasLiquidity = liquidityGross !== 0n;
    const orders = at.u64(from + 124) + at.u64(from + 132);
    if (!hasLiquidity && orders === 0n) continue;
    const tick = at.i32(from);
    if (tick !== start + place * tickSpacing) return null;
    const liquidityNet = BigInt.asIntN(128, at.u128(from + 4));
    ticks.push({ tick, liquidityNet, liquidityGross, hasLiquidity, orders });
  }
  return { start, ticks };
}

/** The words of the extension: first those for ticks above the pool's own bitmap, then those below. */
export const readExtension = accountReader(EXTENSION, EXTENSION_SIZE, (at) =>
  at.bytes(EXTENSION_HEAD, EXTENSION_SIZE - EXTENSION_HEAD),
);
