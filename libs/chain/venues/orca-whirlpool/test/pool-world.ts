import { type OracleFacade, type TickArrayFacade, type WhirlpoolFacade } from '@orca-so/whirlpools-core';
import { MAX_TICK, MIN_TICK, whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { randomTicks } from '#libs/devkit/testing/amm/random-ticks.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { TICKS_PER_ARRAY } from '../account.js';
import {
  addressOf,
  fixedArrayData,
  growingArrayData,
  MINTS,
  type OracleFields,
  oracleData,
  oracleOf,
  owned,
  poolData,
  type TickFields,
  tickArrayOf,
  tokenAccount,
  VAULTS,
} from './accounts.js';

export interface World {
  tickSpacing: number;
  feeRate: number;
  liquidity: bigint;
  sqrtPrice: bigint;
  tick: number;
  ticks: ReadonlyMap<number, TickFields>;
  oracle: OracleFields | null;
  now: bigint;
  protocolFees: [bigint, bigint];
  vaults: [bigint, bigint];
  /** How the array that begins at that tick is stored. */
  stored(start: number): 'fixed' | 'growing' | 'absent';
}

export const POOL = addressOf('pool');
const NOTHING = { feeGrowthOutsideA: 0n, feeGrowthOutsideB: 0n, rewardGrowthsOutside: [0n, 0n, 0n] };

/** The first ticks of the three arrays that the program loads, as its `get_start_tick_indexes` has them. */
export function programStarts({ tick, tickSpacing }: World, aToB: boolean): number[] {
  const width = 88 * tickSpacing;
  const base = Math.floor(tick / width) * width;
  const offsets = aToB ? [0, -1, -2] : tick + tickSpacing >= base + width ? [1, 2, 3] : [0, 1, 2];
  const lowest = -443636 - ((-443636 % width) + width);
  return offsets
    .map((offset) => base + offset * width)
    .filter((start) => (start < -443636 ? start === lowest : start <= 443636));
}

const ticksOf = (world: World, start: number): (TickFields | undefined)[] =>
  Array.from({ length: TICKS_PER_ARRAY }, (_, i) => world.ticks.get(start + i * world.tickSpacing));

/** Every account that a quote may ask for, and nothing else. */
export function accountsOf(world: World): Map<string, SolanaAccount | null> {
  const pool = poolData({
    ...world,
    feeTierIndex: world.oracle === null ? world.tickSpacing : 1024 + world.tickSpacing,
    protocolFeeA: world.protocolFees[0],
    protocolFeeB: world.protocolFees[1],
  });
  const known = new Map<string, SolanaAccount | null>([[POOL, owned(pool)]]);
  for (const side of [0, 1] as const) known.set(VAULTS[side], tokenAccount(MINTS[side], world.vaults[side]));
  if (world.oracle !== null) known.set(oracleOf(POOL), owned(oracleData(POOL, world.oracle)));
  for (const start of new Set([...programStarts(world, true), ...programStarts(world, false)])) {
    const ticks = ticksOf(world, start);
    const stored = world.stored(start);
    const isEmpty = ticks.every((tick) => tick === undefined);
    const write = stored === 'growing' ? growingArrayData : fixedArrayData;
    known.set(tickArrayOf(POOL, start), stored === 'absent' && isEmpty ? null : owned(write(POOL, start, ticks)));
  }
  return known;
}

export const facadeOf = (world: World): WhirlpoolFacade => ({
  feeTierIndexSeed: Uint8Array.of(world.tickSpacing & 0xff, (world.tickSpacing >> 8) ^ (world.oracle === null ? 0 : 4)),
  tickSpacing: world.tickSpacing,
  feeRate: world.feeRate,
  protocolFeeRate: 1300,
  liquidity: world.liquidity,
  sqrtPrice: world.sqrtPrice,
  tickCurrentIndex: world.tick,
  feeGrowthGlobalA: 0n,
  feeGrowthGlobalB: 0n,
  rewardLastUpdatedTimestamp: 0n,
  rewardInfos: Array.from({ length: 3 }, () => ({ emissionsPerSecondX64: 0n, growthGlobalX64: 0n })),
});

/** The arrays that the program would load for that direction: the SDK takes all that it is given. */
export const arraysFor = (world: World, aToB: boolean): TickArrayFacade[] =>
  programStarts(world, aToB).map((startTickIndex) => ({
    startTickIndex,
    ticks: ticksOf(world, startTickIndex).map((tick) => ({
      ...NOTHING,
      initialized: tick !== undefined,
      liquidityNet: tick?.net ?? 0n,
      liquidityGross: tick?.gross ?? 0n,
    })),
  }));

export const oracleFor = (world: World): OracleFacade | undefined => world.oracle ?? undefined;

const LAST_U64 = (1n << 64n) - 1n;

export function randomWorld(random: SeededRandom, maxBits: number): World {
  const tickSpacing = random.pick([1, 2, 4, 8, 16, 64, 96, 128, 256, 32896]);
  const { ticks, ...price } = randomTicks(random, whirlpoolPrices, tickSpacing, 88 * tickSpacing, maxBits);
  const now = 1_700_000_000n;
  const group = random.pick([1, 2, 4, 8, 16, 64].filter((size) => tickSpacing % size === 0));
  const groups = (tick: number): number => Math.floor(tick / group);
  const reference = Math.min(Math.max(groups(price.tick) + random.int(-20, 20), groups(MIN_TICK)), groups(MAX_TICK));
  const maxVolatilityAccumulator = random.pick([0, 10_000, 155_000, 350_000, 2_640_000]);
  const lastReferenceUpdate = now - BigInt(random.pick([0, 29, 30, 300, 599, 600, 3_600, 3_601, 9_000]));
  return {
    ...price,
    ticks,
    tickSpacing,
    feeRate: random.pick([0, 1, 100, 300, 3_000, 10_000, 65_535]),
    oracle: random.chance(0.6)
      ? null
      : {
          tradeEnableTimestamp: 0n,
          adaptiveFeeConstants: {
            filterPeriod: 30,
            decayPeriod: 600,
            reductionFactor: random.pick([0, 500, 9_999]),
            adaptiveFeeControlFactor: random.pick([0, 1, 1_500, 5_000, 99_999]),
            maxVolatilityAccumulator,
            tickGroupSize: group,
            majorSwapThresholdTicks: 64,
          },
          adaptiveFeeVariables: {
            lastReferenceUpdateTimestamp: lastReferenceUpdate,
            lastMajorSwapTimestamp: random.chance(0.5) ? 0n : now - BigInt(random.pick([0, 29, 30, 600])),
            volatilityReference: random.int(0, Math.min(50_000, maxVolatilityAccumulator)),
            tickGroupIndexReference: reference,
            volatilityAccumulator: random.int(0, maxVolatilityAccumulator),
          },
        },
    now,
    protocolFees: [BigInt(random.int(0, 1000)), BigInt(random.int(0, 1000))],
    vaults: [LAST_U64, LAST_U64],
    stored: random.pick([() => 'fixed', () => 'growing', () => 'absent'] as const),
  };
}

/** Addresses in those accounts. */
export const NAMES = { mints: MINTS, vaults: VAULTS };
