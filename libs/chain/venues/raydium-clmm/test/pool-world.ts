import { PublicKey } from '@solana/web3.js';
import { clmmPrices, MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { randomBits, randomTicks } from '#libs/devkit/testing/amm/random-ticks.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { raydiumClmm } from '../decode.js';
import { bn, encoded, PROGRAM, type SdkAccounts, sdk } from './sdk.js';

export interface World {
  spacing: number;
  tick: number;
  sqrtPrice: bigint;
  liquidity: bigint;
  ticks: ReadonlyMap<number, { net: bigint; gross: bigint }>;
  /** What waits and what is left of a part-filled order, by tick. */
  orders: ReadonlyMap<number, { waiting: bigint; partFilled: bigint }>;
  tradeFeeRate: number;
  feeOn: number;
  dynamicFee: {
    filterPeriod: number;
    decayPeriod: number;
    reductionFactor: number;
    dynamicFeeControl: number;
    maxVolatilityAccumulator: number;
    tickSpacingIndexReference: number;
    volatilityReference: number;
    volatilityAccumulator: number;
    lastUpdateTimestamp: bigint;
  } | null;
  now: bigint;
  owed: { protocol: [bigint, bigint]; fund: [bigint, bigint] };
  vaults: [bigint, bigint];
  status: number;
  openTime: bigint;
}

const addressOf = (name: string): string => encodeBase58(Buffer.alloc(32, name.padEnd(32, '.')));
export const POOL = addressOf('pool');
export const CONFIG = addressOf('config');
export const MINTS = ['mint A', 'mint B'].map(addressOf) as [string, string];
export const VAULTS = ['vault A', 'vault B'].map(addressOf) as [string, string];
export const EXTENSION = sdk.getPdaExBitmapAccount(PROGRAM, new PublicKey(POOL)).publicKey.toBase58();
export const arrayAddress = (start: number): string =>
  sdk.getPdaTickArrayAddress(PROGRAM, new PublicKey(POOL), start).publicKey.toBase58();

const key = (address: string): PublicKey => new PublicKey(address);
const NO_DYNAMIC_FEE = {
  filterPeriod: 0,
  decayPeriod: 0,
  reductionFactor: 0,
  dynamicFeeControl: 0,
  maxVolatilityAccumulator: 0,
  tickSpacingIndexReference: 0,
  volatilityReference: 0,
  volatilityAccumulator: 0,
  lastUpdateTimestamp: 0n,
};

/** Numbers of the arrays with an initialized tick. */
const usedArrays = ({ ticks, orders, spacing }: World): Set<number> =>
  new Set([...ticks.keys(), ...orders.keys()].map((tick) => Math.floor(tick / (60 * spacing))));

/** The program's bitmaps, bit by bit as `tick_array_bit_map.rs` and `tickarray_bitmap_extension.rs` place them. */
function bitmaps(world: World): { own: Buffer; above: Buffer; below: Buffer } {
  const own = Buffer.alloc(128);
  const above = Buffer.alloc(14 * 64);
  const below = Buffer.alloc(14 * 64);
  const perBitmap = 60 * world.spacing * 512;
  for (const number of usedArrays(world)) {
    const start = number * 60 * world.spacing;
    if (number >= -512 && number < 512) {
      own[(number + 512) >> 3]! |= 1 << ((number + 512) & 7);
      continue;
    }
    let word = Math.trunc(Math.abs(start) / perBitmap) - 1;
    if (start < 0 && Math.abs(start) % perBitmap === 0) word -= 1;
    const rest = Math.abs(start) % perBitmap;
    let bit = rest / (60 * world.spacing);
    if (start < 0 && rest !== 0) bit = 512 - bit;
    const bits = start < 0 ? below : above;
    bits[word * 64 + (bit >> 3)]! |= 1 << (bit & 7);
  }
  return { own, above, below };
}

export function sdkAccountsOf(world: World): SdkAccounts {
  const { own, above, below } = bitmaps(world);
  const dynamicFee = world.dynamicFee ?? NO_DYNAMIC_FEE;
  const reward = {
    state: 0,
    openTime: bn(0),
    endTime: bn(0),
    lastUpdateTime: bn(0),
    emissionsPerSecondX64: bn(0),
    totalEmissioned: bn(0),
    claimed: bn(0),
    mint: PublicKey.default,
    vault: PublicKey.default,
    creator: PublicKey.default,
    growthGlobalX64: bn(0),
  };
  const arrays = new Map<number, Uint8Array>();
  return {
    pool: encoded(sdk.PoolInfoLayout, 'f7ede3f5d7c3de46', {
      bump: 255,
      configId: key(CONFIG),
      creator: key(POOL),
      mintA: key(MINTS[0]),
      mintB: key(MINTS[1]),
      vaultA: key(VAULTS[0]),
      vaultB: key(VAULTS[1]),
      observationId: key(POOL),
      mintDecimalsA: 6,
      mintDecimalsB: 9,
      tickSpacing: world.spacing,
      liquidity: bn(world.liquidity),
      sqrtPriceX64: bn(world.sqrtPrice),
      tickCurrent: world.tick,
      feeGrowthGlobalX64A: bn(1),
      feeGrowthGlobalX64B: bn(2),
      protocolFeesTokenA: bn(world.owed.protocol[0]),
      protocolFeesTokenB: bn(world.owed.protocol[1]),
      status: world.status,
      feeOn: world.feeOn,
      rewardInfos: [reward, reward, reward],
      tickArrayBitmap: own,
      fundFeesTokenA: bn(world.owed.fund[0]),
      fundFeesTokenB: bn(world.owed.fund[1]),
      startTime: bn(world.openTime),
      recentEpoch: bn(700),
      dynamicFeeInfo: { ...dynamicFee, lastUpdateTimestamp: bn(dynamicFee.lastUpdateTimestamp) },
    }),
    config: encoded(sdk.ClmmConfigLayout, 'daf42168cbcb2b6f', {
      bump: 254,
      index: 3,
      owner: key(POOL),
      protocolFeeRate: 120_000,
      tradeFeeRate: world.tradeFeeRate,
      tickSpacing: world.spacing,
      fundFeeRate: 40_000,
      fundOwner: key(POOL),
    }),
    extension: encoded(sdk.TickArrayBitmapExtensionLayout, '3c9624db61808b99', {
      poolId: key(POOL),
      positiveTickArrayBitmap: above,
      negativeTickArrayBitmap: below,
    }),
    array: (start) => {
      const known = arrays.get(start) ?? arrayData(world, start);
      arrays.set(start, known);
      return known;
    },
  };
}

function arrayData(world: World, start: number): Uint8Array {
  const ticks = Array.from({ length: 60 }, (_, i) => {
    const tick = start + i * world.spacing;
    const liquidity = world.ticks.get(tick);
    const orders = world.orders.get(tick);
    const used = liquidity !== undefined || orders !== undefined;
    return {
      tick: used ? tick : 0,
      liquidityNet: bn(liquidity?.net ?? 0n),
      liquidityGross: bn(liquidity?.gross ?? 0n),
      feeGrowthOutsideX64A: bn(0),
      feeGrowthOutsideX64B: bn(0),
      rewardGrowthsOutsideX64: [bn(0), bn(0), bn(0)],
      orderPhase: bn(0),
      ordersAmount: bn(orders?.waiting ?? 0n),
      partFilledOrdersRemaining: bn(orders?.partFilled ?? 0n),
      unfilledRatioX64: bn(1n << 64n),
    };
  });
  return encoded(sdk.TickArrayLayout, 'c09b55cd31f9812a', {
    poolId: key(POOL),
    startTickIndex: start,
    ticks,
    initializedTickCount: 1,
    recentEpoch: bn(700),
  });
}

export const owned = (data: Uint8Array, owner = raydiumClmm.program): SolanaAccount => ({ owner, lamports: 1n, data });

function tokenAccount(mint: string, amount: bigint): SolanaAccount {
  const data = Buffer.alloc(165);
  data.set(key(mint).toBytes(), 0);
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  return owned(Uint8Array.from(data), TOKEN_PROGRAM);
}

/** The accounts other than the arrays of ticks, the extension included. */
export function accountsOf(world: World, accounts: SdkAccounts): Map<string, SolanaAccount | null> {
  return new Map([
    [POOL, owned(accounts.pool)],
    [CONFIG, owned(accounts.config)],
    [EXTENSION, owned(accounts.extension)],
    [VAULTS[0], tokenAccount(MINTS[0], world.vaults[0])],
    [VAULTS[1], tokenAccount(MINTS[1], world.vaults[1])],
  ]);
}

const LAST_U64 = (1n << 64n) - 1n;

export function randomWorld(random: SeededRandom, maxBits: number): World {
  const spacing = random.pick([1, 2, 4, 10, 14, 15, 60, 120]);
  const { ticks, ...price } = randomTicks(random, clmmPrices, spacing, 60 * spacing, maxBits);
  const now = 1_700_000_000n;
  const orders = new Map<number, { waiting: bigint; partFilled: bigint }>();
  const usable = Math.floor(price.tick / spacing) * spacing;
  for (let n = random.pick([0, 0, 2, 8]); n > 0; n--) {
    const near = usable + random.int(-20, 20) * spacing;
    const tick = random.chance(0.3) && ticks.size > 0 ? random.pick([...ticks.keys()]) : near;
    if (tick < MIN_TICK || tick > MAX_TICK) continue;
    orders.set(tick, {
      waiting: random.chance(0.3) ? 0n : randomBits(random, 50),
      partFilled: random.chance(0.5) ? 1n : randomBits(random, 50),
    });
  }
  const maxVolatility = random.pick([0, 10_000, 155_000, 350_000, 700_000]);
  return {
    ...price,
    ticks,
    spacing,
    orders,
    tradeFeeRate: random.pick([0, 1, 100, 500, 2_500, 10_000]),
    feeOn: random.pick([0, 0, 1, 2]),
    dynamicFee: random.chance(0.6)
      ? null
      : {
          filterPeriod: 30,
          decayPeriod: 600,
          reductionFactor: random.pick([1, 500, 9_999]),
          dynamicFeeControl: random.pick([1, 1_500, 5_000, 99_999]),
          maxVolatilityAccumulator: maxVolatility,
          tickSpacingIndexReference: Math.floor(price.tick / spacing) + random.int(-20, 20),
          volatilityReference: random.int(0, Math.min(50_000, maxVolatility)),
          volatilityAccumulator: random.int(0, maxVolatility),
          lastUpdateTimestamp: now - BigInt(random.pick([-5, 0, 29, 30, 300, 599, 600, 9_000])),
        },
    now,
    owed: { protocol: [1n, 2n], fund: [30n, 40n] },
    vaults: [LAST_U64, LAST_U64],
    status: random.pick([0, 1, 0b101111]),
    openTime: 0n,
  };
}
