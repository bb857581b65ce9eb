import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/**
 * Accounts of Orca Whirlpool that a quote needs: the pool, its arrays of ticks (of a fixed and of a growing size) and the
 * oracle of pools with an adaptive fee. Invariant: null for whatever is none of them or too short; nothing here throws.
 */
export const TICKS_PER_ARRAY = 88;

const POOL = ['3f95d10ce1806309'];
const POOL_SIZE = 653;
const FIXED_ARRAY = ['4561bdbe6e0742bb'];
const FIXED_HEAD = 12;
const FIXED_TICK = 113;
const FIXED_SIZE = FIXED_HEAD + TICKS_PER_ARRAY * FIXED_TICK + 32;
const GROWING_ARRAY = ['11d8f68ee1c7da38'];
const GROWING_HEAD = 60;
const GROWING_TICK = 112;
const ORACLE = ['8bc283b38cb3e5f4'];
const ORACLE_SIZE = 126;

export const readWhirlpool = accountReader(POOL, POOL_SIZE, (at) => {
  const tickSpacing = at.u16(41);
  if (tickSpacing === 0) return null;
  return {
    tickSpacing,
    /** Whether the pool was made with an adaptive fee: only then is there an oracle. */
    adaptive: at.u16(43) !== tickSpacing,
    /** Parts per million. */
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
});
export type Whirlpool = AccountOf<typeof readWhirlpool>;

/** An array's initialized ticks: places from 0 to 87 in rising order, each with its net and gross liquidity. */
export interface TickArray {
  readonly start: number;
  readonly places: readonly number[];
  readonly liquidityNet: readonly bigint[];
  readonly liquidityGross: readonly bigint[];
}

export const readTickArray = (data: Uint8Array): TickArray | null => readFixed(data) ?? readGrowing(data);

const readFixed = accountReader(FIXED_ARRAY, FIXED_SIZE, (at): TickArray => {
  const places: number[] = [];
  const liquidityNet: bigint[] = [];
  const liquidityGross: bigint[] = [];
  for (let place = 0; place < TICKS_PER_ARRAY; place++) {
    const tick = FIXED_HEAD + place * FIXED_TICK;
    if (at.u8(tick) === 0) continue;
    places.push(place);
    liquidityNet.push(signed(at.u128(tick + 1)));
    liquidityGross.push(at.u128(tick + 17));
  }
  return { start: at.i32(8), places, liquidityNet, liquidityGross };
});

/** One byte for every tick, and its data after that byte when it is initialized, which a bitmap says too. */
const readGrowing = accountReader(GROWING_ARRAY, GROWING_HEAD + TICKS_PER_ARRAY, (at): TickArray | null => {
  const bitmap = at.u128(44);
  const places: number[] = [];
  const liquidityNet: bigint[] = [];
  const liquidityGross: bigint[] = [];
  let tick = GROWING_HEAD;
  for (let place = 0; place < TICKS_PER_ARRAY; place++) {
    const isSet = ((bitmap >> BigInt(place)) & 1n) === 1n;
    const size = isSet ? 1 + GROWING_TICK : 1;
    if (tick + size > at.data.length || at.u8(tick) !== (isSet ? 1 : 0)) return null;
    if (isSet) {
      places.push(place);
      liquidityNet.push(signed(at.u128(tick + 1)));
      liquidityGross.push(at.u128(tick + 17));
    }
    tick += size;
  }
  return { start: at.i32(8), places, liquidityNet, liquidityGross };
});

const signed = (value: bigint): bigint => BigInt.asIntN(128, value);

export const readOracle = accountReader(ORACLE, ORACLE_SIZE, (at) => {
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
});
export type AdaptiveFeeOracle = AccountOf<typeof readOracle>;
