import { createRequire } from 'node:module';
import type { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { raisedAtEnd } from '../curve.js';
import { raydiumLaunchlabCurves } from '../quote.js';

/** LaunchLab's pools in random states, encoded by Raydium's own SDK. */
const require = createRequire(import.meta.url);
const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');
const { LaunchpadConfig, LaunchpadPool, PlatformConfig } = require('@raydium-io/raydium-sdk-v2');

const DISCRIMINATORS = { pool: 'f7ede3f5d7c3de46', config: '95089ccaa0fcb0d9', platform: 'a04e8000f853e6a0' };
export const PRODUCT = 0;
export const FIXED = 1;
export const LINEAR = 2;
const Q64 = 2n ** 64n;
export const bn = (value: bigint) => new BN(String(value));
const zeros = (count: number) => Array.from({ length: count }, () => new BN(0));

export interface Shape {
  kind: number;
  virtualBase: bigint;
  virtualQuote: bigint;
  totalBaseSell: bigint;
  realBase: bigint;
  realQuote: bigint;
  protocol: bigint;
  platform: bigint;
  creator: bigint;
  status?: number;
}

/** A pool with its configurations in account bytes, by the SDK's own layouts; and what the SDK's quotes take. */
export function poolIn(world: QuoteWorld, shape: Shape) {
  const key = () => new PublicKey(world.key());
  const put = (layout: { encode(fields: object, data: Buffer): number }, fields: object, tag: string) => {
    const data = Buffer.alloc(4_000);
    const length = layout.encode(fields, data);
    data.set(Buffer.from(tag, 'hex'));
    return world.put(world.key(), raydiumLaunchlabCurves.program, data.subarray(0, length));
  };
  const numbers = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, new BN(1)]));
  const keys = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, key()]));
  const config = put(
    LaunchpadConfig,
    {
      ...numbers(
        'epoch migrateFee maxShareFeeRate minSupplyA maxLockRate minSellRateA minMigrateRateA minFundRaisingB',
      ),
      ...keys('mintB protocolFeeOwner migrateFeeOwner migrateToAmmWallet migrateToCpmmWallet'),
      '': zeros(16),
      curveType: shape.kind,
      index: 0,
      tradeFeeRate: bn(shape.protocol),
    },
    DISCRIMINATORS.config,
  );
  const platform = put(
    PlatformConfig,
    {
      ...numbers('epoch platformScale creatorScale burnScale platformVestingScale'),
      ...keys('platformClaimFeeWallet platformLockNftWallet cpConfigId transferFeeExtensionAuth platformVestingWallet'),
      ...keys('platformCpCreator curveRuleManager'),
      name: Array(64).fill(65),
      web: Array(256).fill(66),
      img: Array(256).fill(67),
      restrictGlobalConfig: 0,
      restrictCurveParam: 0,
      feeRate: bn(shape.platform),
      creatorFeeRate: bn(shape.creator),
      '': Array(78).fill(0),
    },
    DISCRIMINATORS.platform,
  );
  const amounts = {
    totalSellA: bn(shape.totalBaseSell),
    virtualA: bn(shape.virtualBase),
    virtualB: bn(shape.virtualQuote),
    realA: bn(shape.realBase),
    realB: bn(shape.realQuote),
    totalFundRaisingB: bn(raisedAtEnd(shape)),
  };
  const pool = put(
    LaunchpadPool,
    {
      ...numbers('epoch supply protocolFee platformFee migrateFee platformVestingShare'),
      ...keys('mintA mintB vaultA vaultB creator'),
      ...amounts,
      vestingSchedule: numbers('totalLockedAmount cliffPeriod unlockPeriod startTime totalAllocatedShare'),
      configId: new PublicKey(config),
      platformId: new PublicKey(platform),
      bump: 1,
      status: shape.status ?? 0,
      mintDecimalsA: 6,
      mintDecimalsB: 9,
      migrateType: 1,
      mintProgramFlag: 0,
      cpmmCreatorFeeOn: 0,
      '': Array(54).fill(0),
    },
    DISCRIMINATORS.pool,
  );
  const asked = {
    poolInfo: amounts,
    curveType: shape.kind,
    protocolFeeRate: bn(shape.protocol),
    platformFeeRate: bn(shape.platform),
    creatorFeeRate: bn(shape.creator),
    shareFeeRate: new BN(0),
    slot: 0,
  };
  return { pool, asked, config, platform };
}

/** A curve of each kind somewhere on its way, at the sizes that launches have. */
export function randomShape(world: QuoteWorld): Shape {
  const { random } = world;
  const kind = random.int(0, 2);
  const totalBaseSell = world.amount(50) + (kind === LINEAR ? 2n ** 35n : 1_000n);
  const raised = world.amount(40) + 1_000n;
  const rates = {
    protocol: BigInt(random.int(0, 10_000)),
    platform: BigInt(random.int(0, 50_000)),
    creator: random.chance(0.5) ? BigInt(random.int(0, 5_000)) : 0n,
  };
  const realBase = random.chance(0.1) ? 0n : world.below(totalBaseSell);
  if (kind === PRODUCT) {
    const virtualBase = totalBaseSell + totalBaseSell / BigInt(random.int(1, 8)) + 1n;
    const virtualQuote = raised;
    const realQuote = (virtualQuote * realBase) / (virtualBase - realBase) + 1n;
    return { kind, virtualBase, virtualQuote, totalBaseSell, realBase, realQuote, ...rates };
  }
  if (kind === FIXED) {
    const realQuote = (raised * realBase) / totalBaseSell + 1n;
    return { kind, virtualBase: totalBaseSell, virtualQuote: raised, totalBaseSell, realBase, realQuote, ...rates };
  }
  const virtualBase = (2n * raised * Q64) / (totalBaseSell * totalBaseSell) + 1n;
  const realQuote = (virtualBase * realBase * realBase) / (2n * Q64) + 1n;
  return { kind, virtualBase, virtualQuote: 0n, totalBaseSell, realBase, realQuote, ...rates };
}
