import { clmmPrices, MAX_TICK, type TickPrices, whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import type { ChainMoment, KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { randomCurve } from '#libs/chain/launchpads/meteora-dbc/test/random-curve.js';
import { PUMP_FEES, PUMP_GLOBAL } from '#libs/chain/launchpads/pump-fun/quote.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { PUMP_FEE_PROGRAM } from '#libs/chain/market-ports/solana/pump-fees.js';
import { NOON, QuoteWorld, readPool } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { randomPool as randomDamm } from '#libs/chain/venues/meteora-damm-v2/test/random-pool.js';
import { randomPair } from '#libs/chain/venues/meteora-dlmm/test/random-pair.js';
import {
  POOL as WHIRLPOOL,
  accountsOf as whirlpoolAccounts,
} from '#libs/chain/venues/orca-whirlpool/test/pool-world.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES } from '#libs/chain/venues/pumpswap/quote.js';
import { ARRAYS_PER_SWAP } from '#libs/chain/venues/raydium-clmm/quote.js';
import {
  arrayAddress,
  POOL as CLMM,
  accountsOf as clmmAccounts,
  sdkAccountsOf,
} from '#libs/chain/venues/raydium-clmm/test/pool-world.js';
import { sdkStarts } from '#libs/chain/venues/raydium-clmm/test/sdk.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { type RandomTicks, randomTicks } from '#libs/devkit/testing/amm/random-ticks.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { PoolKind } from '#libs/protocol/blocks.js';

/** Pools of every Solana venue in random states, read from account bytes by the venue itself. */
export interface RandomSolanaPool {
  readonly venue: string;
  readonly kind: PoolKind;
  readonly address: string;
  readonly known: KnownAccounts;
  readonly at: ChainMoment;
  readonly state: SolanaPoolState;
}

type Made = Pick<RandomSolanaPool, 'address' | 'known'> & { readonly at?: ChainMoment };
/** Reserves of usual sizes, of any size, or these. */
export type Depth = boolean | readonly [bigint, bigint];
type Make = (random: SeededRandom, venue: SolanaPoolVenue, depth: Depth) => Made;

const U64_MAX = (1n << 64n) - 1n;

/** Bytes of an account, written field by field. */
class Bytes {
  readonly data: Buffer;

  constructor(size: number, tag: string | Uint8Array = '') {
    this.data = Buffer.alloc(size);
    this.data.set(typeof tag === 'string' ? Buffer.from(tag, 'hex') : tag);
  }

  u64(at: number, ...values: bigint[]): this {
    for (const [n, value] of values.entries()) this.data.writeBigUInt64LE(value, at + 8 * n);
    return this;
  }

  u8(at: number, value: number): this {
    this.data[at] = value;
    return this;
  }

  key(at: number, ...addresses: string[]): this {
    for (const [n, address] of addresses.entries()) this.data.set(decodeBase58(address)!, at + 32 * n);
    return this;
  }
}

const keys = (world: QuoteWorld, count: number): string[] => Array.from({ length: count }, () => world.key());
function reserve(world: QuoteWorld, depth: Depth, side: 0 | 1): bigint {
  if (depth === false) return world.amount(60);
  return depth === true ? (1n << BigInt(world.random.int(32, 44))) + world.amount(32) : depth[side];
}

const cpmm: Make = (random, { program }, depth) => {
  const world = new QuoteWorld(random);
  const [config, vault0, vault1, mint0, mint1] = keys(world, 5) as [string, string, string, string, string];
  const rate = (): bigint => (random.chance(0.5) ? 2_500n : world.below(100_000n));
  world.put(config, program, new Bytes(236, 'daf42168cbcb2b6f').u64(12, rate()).u64(108, rate()).data);
  world.vault(vault0, decodeBase58(mint0)!, reserve(world, depth, 0) + 9n);
  world.vault(vault1, decodeBase58(mint1)!, reserve(world, depth, 1) + 9n);
  const pool = new Bytes(637, 'f7ede3f5d7c3de46')
    .key(8, config)
    .key(72, vault0, vault1)
    .key(168, mint0, mint1)
    .u64(341, 1n, 2n, 3n, 4n)
    .u8(389, random.int(0, 2))
    .u8(390, random.int(0, 1))
    .u64(397, 1n, 1n);
  return { address: world.put(world.key(), program, pool.data), known: world.known };
};

const raydiumV4: Make = (random, { program }, depth) => {
  const world = new QuoteWorld(random);
  const [vaultA, vaultB, mintA, mintB] = keys(world, 4) as [string, string, string, string];
  world.vault(vaultA, decodeBase58(mintA)!, reserve(world, depth, 0) + 9n);
  world.vault(vaultB, decodeBase58(mintB)!, reserve(world, depth, 1) + 9n);
  const pool = new Bytes(752)
    .u64(0, 6n)
    .u64(176, BigInt(random.int(0, 100)), 10_000n, 3n, 4n)
    .key(336, vaultA, vaultB, mintA, mintB);
  return { address: world.put(world.key(), program, pool.data), known: world.known };
};

/** The fee program's account: flat rates alone. */
function pumpFees(world: QuoteWorld, address: string): void {
  const rate = (most: number): bigint => BigInt(world.random.int(0, most));
  const [lp, protocol, creator] = [rate(60), rate(200), rate(200)];
  const tier = new Bytes(40).u64(16, lp, protocol, creator).data;
  const head = new Bytes(69, '8f3492bbdb7b4c9b').u64(41, lp, protocol, creator);
  head.data.writeUInt32LE(1, 65);
  world.put(address, PUMP_FEE_PROGRAM, Buffer.concat([head.data, tier]));
}

const pumpSwap: Make = (random, { program }, depth) => {
  const world = new QuoteWorld(random);
  const [creator, mint, vaultA, vaultB] = keys(world, 4) as [string, string, string, string];
  pumpFees(world, PUMPSWAP_FEES);
  world.put(PUMPSWAP_CONFIG, program, new Bytes(941, '95089ccaa0fcb0d9').data);
  world.mint(mint, 10n ** 15n);
  world.vault(vaultA, decodeBase58(mint)!, reserve(world, depth, 0) + 1n);
  world.vault(vaultB, decodeBase58(WRAPPED_SOL)!, reserve(world, depth, 1));
  const pool = new Bytes(300, 'f19a6d0411b16dbc')
    .key(11, creator, mint, WRAPPED_SOL)
    .key(139, vaultA, vaultB, world.key())
    .u64(245, random.chance(0.5) ? world.amount(30) : 0n);
  return { address: world.put(world.key(), program, pool.data), known: world.known };
};

const pumpFun: Make = (random, { program }, depth) => {
  const world = new QuoteWorld(random);
  pumpFees(world, PUMP_FEES);
  world.put(PUMP_GLOBAL, program, new Bytes(1046, 'a7e8e8b1c86c727f').data);
  const [virtualTokens, virtualQuote] = [reserve(world, depth, 0) + 2n, reserve(world, depth, 1)];
  const realTokens = random.chance(0.5) ? virtualTokens - 1n : world.below(virtualTokens) + 1n;
  const curve = new Bytes(123, '17b7f83760d8ac60')
    .u64(
      8,
      virtualTokens,
      virtualQuote,
      realTokens > virtualTokens ? virtualTokens : realTokens,
      world.below(virtualQuote),
    )
    .key(49, world.key());
  return { address: world.put(world.key(), program, curve.data), known: world.known };
};

const launchlab: Make = (random, { program }) => {
  const world = new QuoteWorld(random);
  const kind = random.int(0, 2);
  const total = world.amount(50) + (kind === 2 ? 1n << 35n : 1_000n);
  const raised = world.amount(40) + 1_000n;
  const realBase = random.chance(0.1) ? 0n : world.below(total);
  let [virtualBase, virtualQuote, realQuote] = [total, raised, (raised * realBase) / total + 1n];
  if (kind === 0) {
    virtualBase = total + total / BigInt(random.int(1, 8)) + 1n;
    realQuote = (virtualQuote * realBase) / (virtualBase - realBase) + 1n;
  } else if (kind === 2) {
    virtualBase = ((2n * raised) << 64n) / (total * total) + 1n;
    virtualQuote = 0n;
    realQuote = ((virtualBase * realBase * realBase) >> 65n) + 1n;
  }
  const [config, platform] = keys(world, 2) as [string, string];
  const rate = (most: number): bigint => BigInt(random.int(0, most));
  world.put(config, program, new Bytes(371, '95089ccaa0fcb0d9').u8(16, kind).u64(27, rate(10_000)).data);
  world.put(platform, program, new Bytes(946, 'a04e8000f853e6a0').u64(104, rate(50_000)).u64(720, rate(5_000)).data);
  const pool = new Bytes(429, 'f7ede3f5d7c3de46')
    .u64(29, total, virtualBase, virtualQuote, realBase, realQuote, raised)
    .key(141, config, platform, ...keys(world, 4));
  return { address: world.put(world.key(), program, pool.data), known: world.known };
};

const damm: Make = (random, { program }) => {
  const { data, point, bySlot } = randomDamm(random);
  const world = new QuoteWorld(random);
  const address = world.put(world.key(), program, data);
  return { address, known: world.known, at: bySlot ? { slot: point, unixTime: 0n } : { slot: 0n, unixTime: point } };
};

const dbc: Make = (random, { program }) => {
  const { pool, config, configKey, point, bySlot } = randomCurve(random);
  const world = new QuoteWorld(random);
  world.put(configKey, program, config);
  const address = world.put(world.key(), program, pool);
  return { address, known: world.known, at: bySlot ? { slot: point, unixTime: 0n } : { slot: 0n, unixTime: point } };
};

const dlmm: Make = (random) => {
  const { address, accounts, at } = randomPair(random);
  return { address, known: accounts, at };
};

const NOW = 1_700_000_000n;

/** Price and positions at random, or around the price that the reserves have, one of them over all prices. */
function ticksFor(
  random: SeededRandom,
  prices: TickPrices,
  spacing: number,
  perArray: number,
  depth: Depth,
): RandomTicks {
  if (typeof depth === 'boolean') return randomTicks(random, prices, spacing, perArray * spacing, depth ? 60 : 90);
  const tick = Math.floor(Math.log(Number(depth[1]) / Number(depth[0])) / Math.log(1.0001));
  const whole = BigInt(Math.floor(Math.sqrt(Number(depth[0]) * Number(depth[1]))));
  const reach = Math.floor(MAX_TICK / spacing) * spacing;
  const at = Math.floor(tick / spacing) * spacing;
  const ticks = new Map<number, { net: bigint; gross: bigint }>();
  let liquidity = 0n;
  const add = (lower: number, upper: number, amount: bigint): void => {
    for (const [edge, net] of [
      [lower, amount],
      [upper, -amount],
    ] as const) {
      const known = ticks.get(edge) ?? { net: 0n, gross: 0n };
      ticks.set(edge, { net: known.net + net, gross: known.gross + amount });
    }
    if (lower <= tick && tick < upper) liquidity += amount;
  };
  add(-reach, reach, whole);
  for (let n = 0; n < 12; n++) {
    const lower = at - spacing * random.int(-20, 60);
    add(lower, lower + spacing * random.int(1, 80), whole * BigInt(random.int(1, 10)));
  }
  return { spacing, tick, sqrtPrice: prices.at(tick) + 1n, liquidity, ticks };
}

const whirlpool: Make = (random, _venue, depth) => {
  const tickSpacing = random.pick(typeof depth === 'boolean' ? [1, 2, 8, 64, 128, 32896] : [4, 8, 64]);
  const { ticks, ...price } = ticksFor(random, whirlpoolPrices, tickSpacing, 88, depth);
  const maxVolatilityAccumulator = random.pick([0, 10_000, 350_000]);
  const group = random.pick([1, 2].filter((size) => tickSpacing % size === 0));
  const adaptive = {
    tradeEnableTimestamp: 0n,
    adaptiveFeeConstants: {
      filterPeriod: 30,
      decayPeriod: 600,
      reductionFactor: 500,
      adaptiveFeeControlFactor: random.pick([1_500, 99_999]),
      maxVolatilityAccumulator,
      tickGroupSize: group,
      majorSwapThresholdTicks: 64,
    },
    adaptiveFeeVariables: {
      lastReferenceUpdateTimestamp: NOW - BigInt(random.pick([0, 29, 30, 599])),
      lastMajorSwapTimestamp: 0n,
      volatilityReference: random.int(0, Math.min(50_000, maxVolatilityAccumulator)),
      // Prices that move towards the reference pay less and less.
      tickGroupIndexReference: Math.floor(price.tick / group) + random.int(-30, 30),
      volatilityAccumulator: random.int(0, maxVolatilityAccumulator),
    },
  };
  const world = {
    ...price,
    ticks,
    tickSpacing,
    feeRate: random.pick(typeof depth === 'boolean' ? [0, 100, 3_000, 65_535] : [100, 500, 3_000]),
    oracle: random.chance(0.5) ? null : adaptive,
    now: NOW,
    protocolFees: [5n, 6n] as [bigint, bigint],
    vaults: [U64_MAX, U64_MAX] as [bigint, bigint],
    stored: () => 'fixed' as const,
  };
  return { address: WHIRLPOOL, known: whirlpoolAccounts(world), at: { slot: 1n, unixTime: NOW } };
};

const clmm: Make = (random, { program }, depth) => {
  const spacing = random.pick(typeof depth === 'boolean' ? [1, 10, 60, 120] : [10, 60]);
  const { ticks, ...price } = ticksFor(random, clmmPrices, spacing, 60, depth);
  const maxVolatilityAccumulator = random.pick([0, 10_000, 350_000]);
  const dynamicFee = {
    filterPeriod: 30,
    decayPeriod: 600,
    reductionFactor: 500,
    dynamicFeeControl: random.pick([1_500, 99_999]),
    maxVolatilityAccumulator,
    tickSpacingIndexReference: Math.floor(price.tick / spacing) + random.int(-30, 30),
    volatilityReference: random.int(0, Math.min(50_000, maxVolatilityAccumulator)),
    volatilityAccumulator: random.int(0, maxVolatilityAccumulator),
    lastUpdateTimestamp: NOW - BigInt(random.pick([0, 29, 30, 599])),
  };
  const world = {
    ...price,
    ticks,
    spacing,
    orders: new Map<number, { waiting: bigint; partFilled: bigint }>(),
    tradeFeeRate: random.pick([0, 100, 2_500, 10_000]),
    feeOn: random.int(0, 2),
    dynamicFee: random.chance(0.5) ? null : dynamicFee,
    now: NOW,
    owed: { protocol: [1n, 2n] as [bigint, bigint], fund: [30n, 40n] as [bigint, bigint] },
    vaults: [U64_MAX, U64_MAX] as [bigint, bigint],
    status: 0,
    openTime: 0n,
  };
  const accounts = sdkAccountsOf(world);
  const known = clmmAccounts(world, accounts);
  for (const start of [true, false].flatMap((aToB) => sdkStarts(accounts, aToB, ARRAYS_PER_SWAP))) {
    known.set(arrayAddress(start), { owner: program, lamports: 1n, data: accounts.array(start) });
  }
  return { address: CLMM, known, at: { slot: 1n, unixTime: NOW } };
};

const tidepoolAmm: Make = (random, _venue, depth) => {
  const world = new QuoteWorld(random);
  const [address, mintA, mintB, vaultA, vaultB] = keys(world, 5) as [string, string, string, string, string];
  const pool = new Bytes(208, Buffer.from('TPAMMPL1')).key(8, mintA, mintB, vaultA, vaultB);
  pool.data.writeUInt16LE(random.pick([0, 5, 25, 100, 1000]), 200);
  for (const [vault, mint, side] of [
    [vaultA, mintA, 0],
    [vaultB, mintB, 1],
  ] as const) {
    world.vault(vault, decodeBase58(mint)!, reserve(world, depth, side));
    Buffer.from(world.known.get(vault)!.data.buffer).set(decodeBase58(address)!, 32);
  }
  return { address: world.put(address, TIDEPOOL_AMM, pool.data), known: world.known };
};

const tidepoolCurve: Make = (random) => {
  const world = new QuoteWorld(random);
  const virtualBase = world.amount(55) + 1_000n;
  const forSale = virtualBase / BigInt(random.int(1, 4));
  const remaining = world.below(forSale) + 1n;
  const virtualQuote = world.amount(50) + 10n;
  const curve = new Bytes(456, Buffer.from('TPCURVE1'))
    .key(8, ...keys(world, 4))
    .u64(200, virtualQuote, virtualBase, world.below(virtualQuote), remaining, forSale);
  curve.data.writeUInt16LE(random.pick([0, 100, 1000]), 256);
  return { address: world.put(world.key(), TIDEPOOL_LAUNCHPAD, curve.data), known: world.known };
};

const MAKERS: Readonly<Record<string, readonly [PoolKind, Make]>> = {
  'meteora-damm-v2': ['concentrated', damm],
  'meteora-dlmm': ['concentrated', dlmm],
  'orca-whirlpool': ['concentrated', whirlpool],
  'raydium-clmm': ['concentrated', clmm],
  pumpswap: ['constant-product', pumpSwap],
  'raydium-cpmm': ['constant-product', cpmm],
  'raydium-v4': ['constant-product', raydiumV4],
  'tidepool-amm': ['constant-product', tidepoolAmm],
  'meteora-dbc': ['curve', dbc],
  'pump-fun': ['curve', pumpFun],
  'raydium-launchlab': ['curve', launchlab],
  tidepool: ['curve', tidepoolCurve],
};

export const allSources: readonly SolanaPoolVenue[] = [...solanaVenues, ...solanaLaunchpads].flatMap(
  ({ pools }) => pools ?? [],
);
/** Those of them that random pools can be made of. */
export const allVenues: readonly string[] = allSources.map(({ venue }) => venue).filter((venue) => venue in MAKERS);

/** Venues whose pools can be made of given reserves. */
export const sizedVenues: readonly string[] = [...Object.keys(MAKERS)].filter((venue) =>
  ['orca-whirlpool', 'raydium-clmm', 'pumpswap', 'raydium-cpmm', 'raydium-v4', 'tidepool-amm'].includes(venue),
);

/** A pool that trades. */
export function randomSolanaPool(random: SeededRandom, venue: string, depth: Depth = false): RandomSolanaPool {
  const source = allSources.find((each) => each.venue === venue)!;
  const [kind, make] = MAKERS[venue]!;
  for (;;) {
    const { address, known, at = NOON } = make(random, source, depth);
    const state = readPool(source, address, { known }, at);
    if (state !== null) return { venue, kind, address, known, at, state };
  }
}
