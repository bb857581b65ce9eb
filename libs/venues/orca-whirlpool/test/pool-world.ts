import { type OracleFacade, type TickArrayFacade, type WhirlpoolFacade } from '@orca-so/whirlpools-core';
import type { SolanaAccount } from '#libs/chains/solana/accounts.js';
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
