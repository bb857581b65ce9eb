import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/**
 * Accounts of Orca Whirlpool that a quote needs: the pool, its arrays of ticks (of a fixed and of a growing size) and the
 * oracle of pools with an adaptive fee. Invariant: null for whatever is none of them or too short; nothing here throws.
 */
export const TICKS_PER_ARRAY = 88;

const POOL = [bytesOfHex('3f95d10ce1806309')];
const POOL_SIZE = 653;
const FIXED_ARRAY = [bytesOfHex('4561bdbe6e0742bb')];
const FIXED_HEAD = 12;
const FIXED_TICK = 113;
const FIXED_SIZE = FIXED_HEAD + TICKS_PER_ARRAY * FIXED_TICK + 32;
const GROWING_ARRAY = [bytesOfHex('11d8f68ee1c7da38')];
const GROWING_HEAD = 60;
const GROWING_TICK = 112;
const ORACLE = [bytesOfHex('8bc283b38cb3e5f4')];
const ORACLE_SIZE = 126;

export interface Whirlpool {
  readonly tickSpacing: number;
  /** Whether the pool was made with an adaptive fee: only then is there an oracle. */
  readonly adaptive: boolean;
  /** Parts per million. */
  readonly feeRate: number;
  readonly liquidity: bigint;
  readonly sqrtPrice: bigint;
  readonly tick: number;
  readonly protocolFeeA: bigint;
  readonly protocolFeeB: bigint;
  readonly mintA: string;
  readonly mintB: string;
  readonly vaultA: string;
  readonly vaultB: string;
}

export function readWhirlpool(data: Uint8Array): Whirlpool | null {
  const at = AccountData.of(data, POOL, POOL_SIZE);
  if (at === null) return null;
  const tickSpacing = at.u16(41);
  if (tickSpacing === 0) return null;
  return {
    tickSpacing,
    adaptive: at.u16(43) !== tickSpacing,
    feeRate: at.u16(45),
    liquidity: at.u128(49),
    sqrtPrice: at.u128(65),
    tick: at.i32(81),
    protocolFeeA: at.u64(85),
    protocolFeeB: at.u64(93),
    mintA: at.key(101),
    vaultA: at.key(133),
    mintB: at.key(181),
    vaultB: at.key(213),
  };
}

/** An array's initialized ticks: places from 0 to 87 in rising order, each with its net liquidity. */
export interface TickArray {
  readonly start: number;
  readonly places: readonly number[];
  readonly liquidityNet: readonly bigint[];
}

export function readTickArray(data: Uint8Array): TickArray | null {
  const fixed = AccountData.of(data, FIXED_ARRAY, FIXED_SIZE);
  if (fixed !== null) return readFixed(fixed);
  const growing = AccountData.of(data, GROWING_ARRAY, GROWING_HEAD + TICKS_PER_ARRAY);
  return growing === null ? null : readGrowing(growing);
}

function readFixed(at: AccountData): TickArray {
  const places: number[] = [];
  const liquidityNet: bigint[] = [];
  for (let place = 0; place < TICKS_PER_ARRAY; place++) {
    const tick = FIXED_HEAD + place * FIXED_TICK;
    if (at.u8(tick) === 0) continue;
    places.push(place);
    liquidityNet.push(signed(at.u128(tick + 1)));
  }
  return { start: at.i32(8), places, liquidityNet };
}

/** One byte for every tick, and its data after that byte when it is initialized, which a bitmap says too. */
function readGrowing(at: AccountData): TickArray | null {
  const bitmap = at.u128(44);
  const places: number[] = [];
  const liquidityNet: bigint[] = [];
  let tick = GROWING_HEAD;
  for (let place = 0; place < TICKS_PER_ARRAY; place++) {
    const isSet = ((bitmap >> BigInt(place)) & 1n) === 1n;
    const size = isSet ? 1 + GROWING_TICK : 1;
    if (tick + size > at.data.length || at.u8(tick) !== (isSet ? 1 : 0)) return null;
    if (isSet) {
      places.push(place);
      liquidityNet.push(signed(at.u128(tick + 1)));
    }
    tick += size;
  }
  return { start: at.i32(8), places, liquidityNet };
}

const signed = (value: bigint): bigint => BigInt.asIntN(128, value);

export interface AdaptiveFeeOracle {
  readonly tradeEnableTime: bigint;
  readonly filterPeriod: bigint;
  readonly decayPeriod: bigint;
  readonly reductionFactor: bigint;
  readonly controlFactor: bigint;
  readonly maxVolatility: number;
  readonly tickGroupSize: number;
  readonly lastReferenceUpdate: bigint;
  readonly lastMajorSwap: bigint;
  readonly volatilityReference: number;
  readonly tickGroupReference: number;
  readonly volatility: number;
}

export function readOracle(data: Uint8Array): AdaptiveFeeOracle | null {
  const at = AccountData.of(data, ORACLE, ORACLE_SIZE);
  if (at === null) return null;
  const tickGroupSize = at.u16(62);
  if (tickGroupSize === 0) return null;
  return {
    tradeEnableTime: at.u64(40),
    filterPeriod: BigInt(at.u16(48)),
    decayPeriod: BigInt(at.u16(50)),
    reductionFactor: BigInt(at.u16(52)),
    controlFactor: BigInt(at.u32(54)),
    maxVolatility: at.u32(58),
    tickGroupSize,
    lastReferenceUpdate: at.u64(82),
    lastMajorSwap: at.u64(90),
    volatilityReference: at.u32(98),
    tickGroupReference: at.i32(102),
    volatility: at.u32(106),
  };
}
