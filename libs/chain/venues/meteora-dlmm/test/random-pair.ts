import { binPriceQ64 } from '#libs/chain/amm/bin-price.js';
import type { ChainMoment, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { bits, magnitude } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { meteoraDlmm } from '../decode.js';
import { bn, encode, publicKey } from './dlmm-sdk.js';

/** A pool in a random state: pair, arrays of bins and bitmaps, encoded by the package's own coder. */
export interface RandomPair {
  readonly address: string;
  readonly accounts: Map<string, SolanaAccount | null>;
  readonly at: ChainMoment;
  readonly total: { readonly x: bigint; readonly y: bigint };
  readonly mints: { readonly x: string; readonly y: string };
  readonly reserves: { readonly x: string; readonly y: string };
  readonly oracle: string;
}

const STEPS = [1, 2, 4, 5, 8, 10, 15, 16, 20, 25, 50, 80, 100, 125, 200, 400];
const NOW = 1_750_000_000;
const BINS = 70;
const NOBODY = '11111111111111111111111111111111';

const randomKey = (random: SeededRandom): string =>
  encodeBase58(Buffer.from(bits(random, 256).toString(16).padStart(64, '1'), 'hex'));

/** `dust`: bins may hold a single unit, all of which a fee on the output takes. */
export function randomPair(random: SeededRandom, dust = false): RandomPair {
  const address = randomKey(random);
  const [x, y] = [randomKey(random), randomKey(random)];
  const reserves = { x: randomKey(random), y: randomKey(random) };
  const binStep = random.pick(STEPS);
  // With the amounts below, prices stay where almost no input leaves 64 bits: the package knows no such bound.
  const farthest = Math.floor((12 * Math.log(2)) / Math.log(1 + binStep / 10_000));
  const near = random.chance(0.3) ? random.int(-40, 40) : random.int(-farthest, farthest);
  // Some pools of a small step are behind the pair's own bitmap.
  const activeId = binStep <= 2 && random.chance(0.5) ? random.pick([-1, 1]) * random.int(35_700, 36_500) : near;
  const activeArray = Math.floor(activeId / BINS);
  const indexes = arraysAround(random, activeArray);
  const lastUpdate = NOW - random.int(0, 1500);
  const functionType = random.int(0, 2);
  const orders = functionType !== 1 && random.chance(0.7);
  const bitmap = new Array<bigint>(16).fill(0n);
  const extension = { positive: words(), negative: words() };
  for (const index of indexes) setBit(index, bitmap, extension);
  const total = { x: 0n, y: 0n };
  const accounts = new Map<string, SolanaAccount | null>();
  const account = (data: Buffer): SolanaAccount => ({ owner: meteoraDlmm.program, lamports: 10n ** 9n, data });
  const density = random.pick([0.02, 0.3, 1]);
  for (const index of indexes) {
    const bins = Array.from({ length: BINS }, (_, place) => {
      const id = index * BINS + place;
      const bin = randomBin(random, { id, activeId, binStep, orders, density, dust });
      total.x += BigInt(bin.amountX.toString());
      total.y += BigInt(bin.amountY.toString());
      return bin;
    });
    const data = encode('binArray', {
      index: bn(index),
      version: 2,
      padding1: new Array(7).fill(0),
      lbPair: publicKey(address),
      bins,
    });
    accounts.set(arrayAddress(address, index), account(data));
  }
  const oracle = randomKey(random);
  const pair = encode('lbPair', {
    parameters: {
      baseFactor: random.int(0, 40_000),
      filterPeriod: random.int(1, 400),
      decayPeriod: random.int(400, 1300),
      reductionFactor: random.int(0, 10_000),
      variableFeeControl: random.chance(0.2) ? 0 : random.int(1, 100_000),
      maxVolatilityAccumulator: random.int(0, 400_000),
      minBinId: -443_636,
      maxBinId: 443_636,
      protocolShare: random.int(0, 2500),
      baseFeePowerFactor: random.chance(0.8) ? 0 : random.int(1, 2),
      functionType,
      collectFeeMode: random.int(0, 1),
      padding: [0, 0, 0],
    },
    vParameters: {
      volatilityAccumulator: random.int(0, 400_000),
      volatilityReference: random.int(0, 200_000),
      indexReference: activeId + random.int(-20, 20),
      padding: [0, 0, 0, 0],
      lastUpdateTimestamp: bn(lastUpdate),
      padding1: new Array(8).fill(0),
    },
    bumpSeed: [255],
    binStepSeed: [binStep & 255, binStep >> 8],
    pairType: 3,
    activeId,
    binStep,
    status: 0,
    requireBaseFactorSeed: 0,
    baseFactorSeed: [0, 0],
    activationType: 0,
    creatorPoolOnOffControl: 0,
    tokenXMint: publicKey(x),
    tokenYMint: publicKey(y),
    reserveX: publicKey(reserves.x),
    reserveY: publicKey(reserves.y),
    protocolFee: { amountX: bn(0), amountY: bn(0) },
    padding1: new Array(32).fill(0),
    rewardInfos: [0, 1].map((nth) => ({
      mint: publicKey(functionType === 1 && nth === 0 ? x : NOBODY),
      vault: publicKey(NOBODY),
      funder: publicKey(NOBODY),
      rewardDuration: bn(0),
      rewardDurationEnd: bn(0),
      rewardRate: bn(0),
      lastUpdateTime: bn(0),
      cumulativeSecondsWithEmptyLiquidityReward: bn(0),
    })),
    oracle: publicKey(oracle),
    binArrayBitmap: bitmap.map(bn),
    lastUpdatedAt: bn(0),
    padding2: new Array(32).fill(0),
    preActivationSwapAddress: publicKey(NOBODY),
    baseKey: publicKey(NOBODY),
    activationPoint: bn(0),
    preActivationDuration: bn(0),
    padding3: new Array(8).fill(0),
    padding4: bn(0),
    creator: publicKey(NOBODY),
    tokenMintXProgramFlag: 0,
    tokenMintYProgramFlag: 0,
    version: 0,
    reserved: new Array(21).fill(0),
  });
  accounts.set(address, account(pair));
  const far = indexes.some((index) => index < -512 || index > 511);
  if (far || random.chance(0.3)) {
    const data = encode('binArrayBitmapExtension', {
      lbPair: publicKey(address),
      positiveBinArrayBitmap: extension.positive.map((word) => word.map(bn)),
      negativeBinArrayBitmap: extension.negative.map((word) => word.map(bn)),
    });
    accounts.set(derived(['bitmap', address]), account(data));
  }
  const at = { slot: 1000n, unixTime: BigInt(NOW) };
  return { address, accounts, at, total, mints: { x, y }, reserves, oracle };
}

/** The active array and some others near it or far away, most of them on both sides. */
function arraysAround(random: SeededRandom, active: number): number[] {
  const indexes = new Set<number>(random.chance(0.9) ? [active] : []);
  for (const side of [-1, 1]) {
    let at = active;
    for (let i = random.int(0, 3); i > 0; i--) {
      at += side * (random.chance(0.7) ? 1 : random.int(2, 4));
      indexes.add(at);
    }
  }
  return [...indexes];
}

interface BinPlace {
  readonly id: number;
  readonly activeId: number;
  readonly binStep: number;
  readonly orders: boolean;
  readonly density: number;
  readonly dust: boolean;
}

function randomBin(random: SeededRandom, { id, activeId, binStep, orders, density, dust }: BinPlace) {
  const filled = id === activeId ? random.chance(0.8) : random.chance(density);
  const held = (most: bigint): bigint => {
    const value = magnitude(random, 0n, most);
    return value === 1n && !dust ? 2n : value;
  };
  const amount = (): bigint => (filled ? held(1n << BigInt(random.int(1, 34))) : 0n);
  const order = (): bigint => (orders && random.chance(0.3) ? held(1n << 30n) : 0n);
  const [x, y] = [id >= activeId ? amount() : 0n, id <= activeId ? amount() : 0n];
  const sellX = id === activeId ? random.int(0, 1) : id > activeId ? 1 : 0;
  const [open, processed] = [order(), order()];
  return {
    amountX: bn(x),
    amountY: bn(y),
    price: bn(binPriceQ64(binStep, id)),
    liquiditySupply: bn(filled ? 1n << 80n : 0n),
    fulfilledOrderAmountX: bn(0),
    fulfilledOrderAmountY: bn(0),
    limitOrderFeeAskSide: bn(0),
    limitOrderFeeBidSide: bn(0),
    feeAmountXPerTokenStored: bn(0),
    feeAmountYPerTokenStored: bn(0),
    openOrderAmount: bn(open),
    totalProcessingOrderAmount: bn(processed),
    processedOrderRemainingAmount: bn(processed),
    orderAge: 1,
    limitOrderAskSide: sellX,
    padding1: [0, 0, 0],
  };
}

const words = (): bigint[][] => Array.from({ length: 12 }, () => new Array<bigint>(8).fill(0n));

function setBit(index: number, bitmap: bigint[], far: { positive: bigint[][]; negative: bigint[][] }): void {
  const set = (limbs: bigint[], bit: number): void => {
    limbs[bit >> 6]! |= 1n << BigInt(bit & 63);
  };
  if (index >= -512 && index < 512) set(bitmap, index + 512);
  else if (index > 0) set(far.positive[Math.floor(index / 512) - 1]!, index % 512);
  else set(far.negative[Math.floor(-(index + 1) / 512) - 1]!, -(index + 1) % 512);
}

export function arrayAddress(pool: string, index: number): string {
  const seed = Buffer.alloc(8);
  seed.writeBigInt64LE(BigInt(index));
  return derived(['bin_array', pool, seed]);
}

const derived = ([tag, pool, ...rest]: [string, string, ...Uint8Array[]]): string =>
  deriveAddress(meteoraDlmm.program, [Buffer.from(tag), publicKey(pool).toBytes(), ...rest]);
