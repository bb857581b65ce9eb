import { createRequire } from 'node:module';
import { magnitude } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/**
 * Curves in random states, encoded by @meteora-ag/dynamic-bonding-curve-sdk's own coder, and its quotes over the same
 * bytes. Invariant: what the package throws, except for a defect of this file, is a swap that the program refuses.
 */
const require = createRequire(import.meta.url);
const sdk = require('@meteora-ag/dynamic-bonding-curve-sdk');
const { Connection, PublicKey } = require('@solana/web3.js');
const BN = require('bn.js');

const { accounts } = sdk.createDbcProgram(new Connection('http://127.0.0.1:1')).program.coder;
const bn = (value: bigint | number) => new BN(value.toString());
const NOBODY = PublicKey.default;
const Q64 = 1n << 64n;
const U64_END = 1n << 64n;
const ACTIVATION = 1_700_000_000;

const key = (random: SeededRandom) =>
  new PublicKey(encodeBase58(Uint8Array.from({ length: 32 }, () => random.int(0, 255))));

function encode(name: string, value: object): Buffer {
  const { layout, discriminator } = accounts.accountLayouts.get(name);
  const bytes = Buffer.alloc(4000);
  const length = layout.encode(value, bytes);
  return Buffer.concat([Buffer.from(discriminator), bytes.subarray(0, length)]);
}

export interface RandomCurve {
  readonly pool: Buffer;
  readonly config: Buffer;
  readonly configKey: string;
  readonly mints: { readonly base: string; readonly quote: string };
  readonly point: bigint;
  readonly bySlot: boolean;
  /** About what the curve takes and gives from here on. */
  readonly quoteLeft: bigint;
  readonly quoteBelow: bigint;
  readonly baseLeft: bigint;
  readonly baseBelow: bigint;
}

interface Segment {
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
}

/** The base fee's factors, and whether it is a rate limiter. */
function baseFee(random: SeededRandom, collectFeeMode: number) {
  const mode = collectFeeMode === 0 ? random.int(0, 2) : random.int(0, 1);
  const cliff = random.chance(0.5) ? random.int(2_500_000, 20_000_000) : random.int(2_500_000, 990_000_000);
  const none = random.chance(0.2);
  const periods = random.int(1, 300);
  const limiter = mode === 2;
  const reduction = mode === 0 ? Math.floor((cliff - 2_500_000) / periods) : random.int(1, 200);
  const [first, second, third] = limiter
    ? [random.int(1, 500), BigInt(random.int(1, 43_200)), magnitude(random, 1n, 1n << 45n)]
    : [periods, BigInt(random.int(1, 600)), BigInt(reduction)];
  return {
    cliffFeeNumerator: bn(cliff),
    firstFactor: none ? 0 : first,
    secondFactor: bn(none ? 0n : second),
    thirdFactor: bn(none ? 0n : third),
    baseFeeMode: mode,
    padding0: new Array(5).fill(0),
  };
}

export function randomCurve(random: SeededRandom): RandomCurve {
  const start = magnitude(random, Q64 >> 16n, Q64 << 12n);
  const segments: Segment[] = [];
  let price = start;
  for (let i = random.int(1, 16); i > 0; i--) {
    const next = price + (price * BigInt(random.int(1, 5000))) / 10_000n;
    const size = magnitude(random, 1n << 20n, 1n << 50n);
    const [byQuote, byBase] = [(size << 128n) / (next - price), (size * price * next) / (next - price)];
    segments.push({ sqrtPrice: next, liquidity: (byQuote < byBase ? byQuote : byBase) + 1n });
    price = next;
  }
  const quote = (from: bigint, to: bigint) => along(segments, start, from, to, false);
  const base = (from: bigint, to: bigint) => along(segments, start, from, to, true);
  const last = segments.at(-1)!;
  const before = segments.at(-2)?.sqrtPrice ?? start;
  const migration = before + ((last.sqrtPrice - before) * BigInt(random.int(1, 100))) / 100n;
  const sqrtPrice = random.chance(0.15)
    ? start
    : random.chance(0.2)
      ? random.pick(segments).sqrtPrice
      : start + ((migration - start) * BigInt(random.int(0, 999))) / 1000n;
  const current = sqrtPrice < migration ? sqrtPrice : migration - 1n > start ? migration - 1n : start;
  const threshold = quote(start, migration) + 1n;
  const collectFeeMode = random.int(0, 1);
  const bySlot = random.chance(0.5);
  const dynamic = random.chance(0.5);
  const configKey = key(random);
  const mints = { base: key(random), quote: key(random) };
  const raised = quote(start, current) + BigInt(random.int(0, 3));
  const complete = random.chance(0.03);
  const config = {
    quoteMint: mints.quote,
    feeClaimer: NOBODY,
    leftoverReceiver: NOBODY,
    poolFees: {
      baseFee: baseFee(random, collectFeeMode),
      dynamicFee: {
        initialized: dynamic ? 1 : 0,
        padding: new Array(7).fill(0),
        maxVolatilityAccumulator: 14_460_000,
        variableFeeControl: random.int(0, 100_000),
        binStep: 1,
        filterPeriod: 10,
        decayPeriod: 120,
        reductionFactor: 5000,
        padding2: new Array(8).fill(0),
        binStepU128: bn(1844674407370955n),
      },
    },
    partnerLiquidityVestingInfo: vesting(),
    creatorLiquidityVestingInfo: vesting(),
    padding0: new Array(14).fill(0),
    padding1: 0,
    collectFeeMode,
    migrationOption: 1,
    activationType: bySlot ? 0 : 1,
    tokenDecimal: 6,
    version: 0,
    tokenType: 0,
    quoteTokenFlag: 0,
    partnerPermanentLockedLiquidityPercentage: 0,
    partnerLiquidityPercentage: 0,
    creatorPermanentLockedLiquidityPercentage: 100,
    creatorLiquidityPercentage: 0,
    migrationFeeOption: 0,
    fixedTokenSupplyFlag: 0,
    creatorTradingFeePercentage: 0,
    tokenUpdateAuthority: 0,
    migrationFeePercentage: 0,
    creatorMigrationFeePercentage: 0,
    padding2: new Array(7).fill(0),
    swapBaseAmount: bn(0),
    migrationQuoteThreshold: bn(complete ? raised : threshold),
    migrationBaseThreshold: bn(1_000_000n),
    migrationSqrtPrice: bn(migration),
    lockedVestingConfig: {
      amountPerPeriod: bn(1000),
      cliffDurationFromMigrationTime: bn(0),
      frequency: bn(1),
      numberOfPeriod: bn(100),
      cliffUnlockAmount: bn(5),
      padding: bn(0),
    },
    preMigrationTokenSupply: bn(0),
    postMigrationTokenSupply: bn(0),
    migratedCollectFeeMode: 0,
    migratedDynamicFee: 0,
    migratedPoolFeeBps: 0,
    migratedPoolBaseFeeMode: 0,
    enableFirstSwapWithMinFee: 0,
    migratedCompoundingFeeBps: 0,
    poolCreationFee: bn(0),
    migratedPoolBaseFeeBytes: new Array(16).fill(0),
    sqrtStartPrice: bn(start),
    curve: Array.from({ length: 20 }, (_, i) => ({
      sqrtPrice: bn(segments[i]?.sqrtPrice ?? 0n),
      liquidity: bn(segments[i]?.liquidity ?? 0n),
    })),
  };
  const pool = {
    poolState: {
      volatilityTracker: {
        lastUpdateTimestamp: bn(ACTIVATION),
        padding: new Array(8).fill(0),
        sqrtPriceReference: bn(current),
        volatilityAccumulator: bn(magnitude(random, 0n, 14_460_000n)),
        volatilityReference: bn(0),
      },
      config: configKey,
      creator: NOBODY,
      baseMint: mints.base,
      baseVault: key(random),
      quoteVault: key(random),
      baseReserve: bn(base(start, last.sqrtPrice) * 2n + 2_000_000n),
      quoteReserve: bn(raised),
      protocolBaseFee: bn(1),
      protocolQuoteFee: bn(2),
      partnerBaseFee: bn(3),
      partnerQuoteFee: bn(4),
      sqrtPrice: bn(current),
      activationPoint: bn(ACTIVATION),
      poolType: 0,
      isMigrated: 0,
      isPartnerWithdrawSurplus: 0,
      isProtocolWithdrawSurplus: 0,
      migrationProgress: 0,
      isWithdrawLeftover: 0,
      isCreatorWithdrawSurplus: 0,
      migrationFeeWithdrawStatus: 0,
      metrics: {
        totalProtocolBaseFee: bn(0),
        totalProtocolQuoteFee: bn(0),
        totalTradingBaseFee: bn(0),
        totalTradingQuoteFee: bn(0),
      },
      finishCurveTimestamp: bn(0),
      creatorBaseFee: bn(5),
      creatorQuoteFee: bn(6),
      legacyCreationFeeBits: 0,
      creationFeeBits: 0,
      hasSwap: 1,
      padding0: new Array(5).fill(0),
      protocolLiquidityMigrationFeeBps: 20,
      padding1: new Array(6).fill(0),
      protocolMigrationBaseFeeAmount: bn(0),
      protocolMigrationQuoteFeeAmount: bn(0),
      padding2: [bn(0), bn(0), bn(0)],
    },
  };
  const hook = random.chance(0.2);
  const withHook = { config, transferHookProgram: NOBODY, padding0: new Array(6).fill(bn(0)) };
  return {
    pool: encode(hook ? 'transferHookPool' : 'virtualPool', pool),
    config: hook ? encode('configWithTransferHook', withHook) : encode('poolConfig', config),
    configKey: configKey.toBase58(),
    mints: { base: mints.base.toBase58(), quote: mints.quote.toBase58() },
    point: BigInt(ACTIVATION + (random.chance(0.5) ? random.int(0, 5000) : random.int(0, 200_000))),
    bySlot,
    quoteLeft: quote(current, migration),
    quoteBelow: quote(start, current),
    baseLeft: base(current, migration),
    baseBelow: base(start, current),
  };
}

const vesting = () => ({
  isInitialized: 0,
  vestingPercentage: 0,
  padding: [0, 0],
  bpsPerPeriod: 0,
  numberOfPeriods: 0,
  frequency: 0,
  cliffDurationFromMigrationTime: 0,
});

/** Tokens between two prices of the curve, rounded down in each segment. */
function along(segments: readonly Segment[], start: bigint, from: bigint, to: bigint, ofBase: boolean): bigint {
  let total = 0n;
  let lower = start;
  for (const { sqrtPrice, liquidity } of segments) {
    const [low, high] = [from > lower ? from : lower, to < sqrtPrice ? to : sqrtPrice];
    if (high > low) total += ofBase ? (liquidity * (high - low)) / (high * low) : (liquidity * (high - low)) >> 128n;
    lower = sqrtPrice;
  }
  return total;
}

export interface SdkSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

/** The two accounts as the package reads them. */
export function sdkAccounts({ pool, config }: RandomCurve): { pool: unknown; config: unknown } {
  const hook = config.length > 1048 + 8;
  const read = accounts.decode(hook ? 'configWithTransferHook' : 'poolConfig', config);
  return { pool: accounts.decode(hook ? 'transferHookPool' : 'virtualPool', pool), config: hook ? read.config : read };
}

/** The package's quote; null where it refuses, gives nothing or leaves the program's 64 bits. */
export function sdkSwap(
  { pool, config }: { pool: unknown; config: unknown },
  point: bigint,
  sell: boolean,
  exactIn: boolean,
  amount: bigint,
): SdkSwap | null {
  try {
    const quote = exactIn ? sdk.swapQuoteExactIn : sdk.swapQuoteExactOut;
    const result = quote(pool, config, sell, bn(amount), 0, false, bn(point), false);
    const [amountIn, amountOut, trading, protocol] = [
      result.includedFeeInputAmount,
      result.outputAmount,
      result.tradingFee,
      result.protocolFee,
    ].map((value) => BigInt(value.toString()));
    if (amountOut! <= 0n || amountIn! <= 0n || amountIn! >= U64_END) return null;
    return { amountIn: amountIn!, amountOut: amountOut!, fee: trading! + protocol! };
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return null;
  }
}
