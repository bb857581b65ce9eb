import { createRequire } from 'node:module';
import { squareRoot } from '#libs/chain/amm/square-root.js';
import { bits, magnitude } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/**
 * DAMM v2 pools in random states, encoded by @meteora-ag/cp-amm-sdk's own coder, and its quotes over the same bytes.
 * Invariant: what the package throws, except for a defect of this file, is a swap that the program refuses.
 */
const require = createRequire(import.meta.url);
const sdk = require('@meteora-ag/cp-amm-sdk');
const { Connection, PublicKey } = require('@solana/web3.js');
const BN = require('bn.js');

const bn = (value: bigint | number) => new BN(value.toString());
const key = (random: SeededRandom) => new PublicKey(encodeBase58(randomBytes(random, 32)));
const NOBODY = PublicKey.default;
const Q64 = 1n << 64n;
const { accounts } = new sdk.CpAmm(new Connection('http://127.0.0.1:1'))._program.coder;

function randomBytes(random: SeededRandom, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.int(0, 255));
}

function encodePool(value: object): Buffer {
  const { layout, discriminator } = accounts.accountLayouts.get('pool');
  const bytes = Buffer.alloc(4000);
  const length = layout.encode(value, bytes);
  return Buffer.concat([Buffer.from(discriminator), bytes.subarray(0, length)]);
}

export const decodePool = (data: Uint8Array) => accounts.decode('pool', Buffer.from(data));

export interface RandomPool {
  readonly data: Buffer;
  readonly point: bigint;
  readonly bySlot: boolean;
  readonly reserveA: bigint;
  readonly reserveB: bigint;
}

/** The 32 bytes that hold the base fee. */
function baseFee(random: SeededRandom, mode: number, collectFeeMode: number, reserveB: bigint): Buffer {
  const data = Buffer.alloc(32);
  const cliff = random.chance(0.5) ? random.int(100_000, 20_000_000) : random.int(100_000, 500_000_000);
  const periods = random.int(1, 200);
  data.writeBigUInt64LE(BigInt(cliff), 0);
  data[8] = mode;
  const reduction = mode % 3 === 0 ? Math.floor((cliff - 100_000) / periods) : random.int(1, 150);
  if (mode === 2) {
    if (collectFeeMode !== 1 || random.chance(0.1)) return data;
    data.writeUInt16LE(random.int(1, 500), 14);
    data.writeUInt32LE(random.int(2000, 43_200), 16);
    data.writeUInt32LE(random.int(Math.ceil(cliff / 100_000), 5000), 20);
    data.writeBigUInt64LE(magnitude(random, 1n, reserveB / 4n + 1n), 24);
    return data;
  }
  if (mode < 2 && random.chance(0.3)) return data;
  data.writeUInt16LE(periods, 14);
  if (mode < 2) data.writeBigUInt64LE(BigInt(random.int(1, 600)), 16);
  else {
    data.writeUInt32LE(random.int(1, 2000), 16);
    data.writeUInt32LE(random.int(1, 86_400), 20);
  }
  data.writeBigUInt64LE(BigInt(Math.max(reduction, 0)), 24);
  return data;
}

export function randomPool(random: SeededRandom): RandomPool {
  const mode = random.int(0, 4);
  const collectFeeMode = mode === 2 && random.chance(0.6) ? 1 : random.int(0, 2);
  const whole = random.chance(0.4);
  const sqrtPrice = magnitude(random, Q64 >> 24n, Q64 << 24n);
  const sqrtMinPrice = whole ? 4295048016n : sqrtPrice - (sqrtPrice * BigInt(random.int(0, 9000))) / 10_000n;
  const sqrtMaxPrice = whole
    ? 79226673521066979257578248091n
    : sqrtPrice + (sqrtPrice * BigInt(random.int(0, 90_000))) / 10_000n;
  const least = sqrtPrice < Q64 ? (Q64 << 64n) / sqrtPrice : sqrtPrice;
  const liquidity = ((magnitude(random, 1n << 10n, 1n << 54n) << 128n) / least) | 1n;
  const kept = random.chance(0.8);
  const between = (from: bigint, to: bigint) => (liquidity * (to - from)) >> 128n;
  const reserveA = (liquidity * (sqrtMaxPrice - sqrtPrice)) / (sqrtMaxPrice * sqrtPrice) + BigInt(random.int(1, 5));
  const reserveB = between(sqrtMinPrice, sqrtPrice) + BigInt(random.int(1, 5));
  const compoundA = magnitude(random, 1n, 1n << 50n);
  const compoundB = magnitude(random, 1n, 1n << 50n);
  const compounding = collectFeeMode === 2;
  const activation = 1_700_000_000;
  const point = random.chance(0.05)
    ? activation - random.int(1, 5000)
    : activation + (random.chance(0.5) ? random.int(0, 5000) : random.int(0, 200_000));
  const bySlot = random.chance(0.5);
  const dynamic = random.chance(0.5);
  const reward = () => ({
    initialized: 0,
    rewardTokenFlag: 0,
    padding0: new Array(6).fill(0),
    deadLiquidityRewardCheckpoint: bn(0),
    mint: NOBODY,
    vault: NOBODY,
    funder: NOBODY,
    rewardDuration: bn(0),
    rewardDurationEnd: bn(0),
    rewardRate: bn(0),
    rewardPerTokenStored: new Array(32).fill(0),
    lastUpdateTime: bn(0),
    cumulativeSecondsWithEmptyLiquidityReward: bn(0),
  });
  const [amountA, amountB] = compounding ? [compoundA, compoundB] : kept ? [reserveA, reserveB] : [0n, 0n];
  const data = encodePool({
    poolFees: {
      baseFee: { baseFeeInfo: { data: [...baseFee(random, mode, collectFeeMode, reserveB)] }, padding1: bn(0) },
      protocolFeePercent: random.int(0, 50),
      padding0: 0,
      referralFeePercent: 20,
      padding1: [0, 0, 0],
      compoundingFeeBps: compounding ? random.int(0, 10_000) : 0,
      dynamicFee: {
        initialized: dynamic ? 1 : 0,
        padding: new Array(7).fill(0),
        maxVolatilityAccumulator: random.int(0, 14_460_000),
        variableFeeControl: random.int(0, 100_000),
        binStep: 1,
        filterPeriod: 10,
        decayPeriod: 120,
        reductionFactor: 5000,
        lastUpdateTimestamp: bn(activation),
        binStepU128: bn(1844674407370955n),
        sqrtPriceReference: bn(sqrtPrice),
        volatilityAccumulator: bn(magnitude(random, 0n, 14_460_000n)),
        volatilityReference: bn(0),
      },
      initSqrtPrice: bn((sqrtPrice * BigInt(random.int(2000, 12_000))) / 10_000n),
    },
    tokenAMint: key(random),
    tokenBMint: key(random),
    tokenAVault: key(random),
    tokenBVault: key(random),
    whitelistedVault: NOBODY,
    padding0: new Array(32).fill(0),
    liquidity: bn(liquidity),
    padding1: bn(bits(random, 64)),
    protocolAFee: bn(1),
    protocolBFee: bn(2),
    deadLiquidityFeeCheckpoint: bn(0),
    padding2: new Array(8).fill(0),
    sqrtMinPrice: bn(compounding ? 0n : sqrtMinPrice),
    sqrtMaxPrice: bn(compounding ? (1n << 128n) - 1n : sqrtMaxPrice),
    sqrtPrice: bn(compounding ? squareRoot((compoundB << 128n) / compoundA) : sqrtPrice),
    activationPoint: bn(activation),
    activationType: bySlot ? 0 : 1,
    poolStatus: random.chance(0.03) ? 1 : 0,
    tokenAFlag: 0,
    tokenBFlag: 0,
    collectFeeMode,
    poolType: 0,
    feeVersion: random.int(0, 1),
    padding3: 0,
    feeAPerLiquidity: new Array(32).fill(0),
    feeBPerLiquidity: new Array(32).fill(0),
    permanentLockLiquidity: bn(0),
    metrics: {
      totalLpAFee: bn(0),
      totalLpBFee: bn(0),
      totalProtocolAFee: bn(0),
      totalProtocolBFee: bn(0),
      padding0: [bn(0), bn(0)],
      totalPosition: bn(1),
      padding: bn(0),
    },
    creator: NOBODY,
    tokenAAmount: bn(amountA),
    tokenBAmount: bn(amountB),
    layoutVersion: compounding || kept ? 1 : 0,
    padding4: new Array(7).fill(0),
    padding5: [bn(0), bn(0), bn(0)],
    rewardInfos: [reward(), reward()],
  });
  const [a, b] = compounding ? [compoundA, compoundB] : [reserveA, reserveB];
  return { data, point: BigInt(point), bySlot, reserveA: a, reserveB: b };
}

export interface SdkSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

const U64_END = 1n << 64n;

/** The package's quote; null where it refuses, gives nothing or leaves the program's 64 bits. */
export function sdkSwap(pool: unknown, point: bigint, aToB: boolean, exactIn: boolean, amount: bigint): SdkSwap | null {
  const direction = aToB ? 0 : 1;
  try {
    if (!sdk.isSwapEnabled(pool, bn(point))) return null;
    const mode = sdk.getFeeMode((pool as { collectFeeMode: number }).collectFeeMode, direction, false);
    const run = exactIn ? sdk.getSwapResultFromExactInput : sdk.getSwapResultFromExactOutput;
    const result = run(pool, bn(amount), mode, direction, bn(point));
    const [amountIn, amountOut, ...fees] = [
      result.includedFeeInputAmount,
      result.outputAmount,
      result.claimingFee,
      result.protocolFee,
      result.compoundingFee,
    ].map((value) => BigInt(value.toString()));
    const fee = fees.reduce((sum, part) => sum + part, 0n);
    if (amountOut! <= 0n || amountIn! <= 0n || amountIn! >= U64_END) return null;
    return { amountIn: amountIn!, amountOut: amountOut!, fee };
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return null;
  }
}
