import { createRequire } from 'node:module';
import type { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { raydiumCpmmPools } from '../quote.js';

const require = createRequire(import.meta.url);
export const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');
const { CpmmConfigInfoLayout, CpmmPoolInfoLayout } = require('@raydium-io/raydium-sdk-v2');
export const { CurveCalculator } = require('@raydium-io/raydium-sdk-v2');

const DISCRIMINATORS = { pool: 'f7ede3f5d7c3de46', config: 'daf42168cbcb2b6f' };

export interface Shape {
  reserves: [bigint, bigint];
  owed?: bigint[];
  trade?: bigint;
  creator?: bigint;
  feeOn?: number;
  enabled?: boolean;
  status?: number;
  openTime?: bigint;
}

export const bn = (value: bigint) => new BN(String(value));
const zeros = (count: number) => Array.from({ length: count }, () => new BN(0));

/** Pool and configuration in account bytes, by the SDK's own layouts. */
export function poolIn(world: QuoteWorld, shape: Shape): string {
  const owed = shape.owed ?? [0n, 0n, 0n, 0n, 0n, 0n];
  const key = () => new PublicKey(world.key());
  const [config, vaultA, vaultB, mintA, mintB] = [world.key(), world.key(), world.key(), world.key(), world.key()];
  const configData = Buffer.alloc(CpmmConfigInfoLayout.span);
  CpmmConfigInfoLayout.encode(
    {
      bump: 1,
      disableCreatePool: false,
      index: 0,
      tradeFeeRate: bn(shape.trade ?? 2_500n),
      protocolFeeRate: new BN(120_000),
      fundFeeRate: new BN(40_000),
      createPoolFee: new BN(0),
      protocolOwner: key(),
      fundOwner: key(),
      creatorFeeRate: bn(shape.creator ?? 500n),
      creatorFeeShareRate: new BN(0),
      '': zeros(14),
    },
    configData,
  );
  configData.set(Buffer.from(DISCRIMINATORS.config, 'hex'));
  world.put(config, raydiumCpmmPools.program, configData);
  const data = Buffer.alloc(CpmmPoolInfoLayout.span);
  const names = 'protocolFeesMintA protocolFeesMintB fundFeesMintA fundFeesMintB creatorFeesMintA creatorFeesMintB';
  CpmmPoolInfoLayout.encode(
    {
      configId: new PublicKey(config),
      poolCreator: key(),
      vaultA: new PublicKey(vaultA),
      vaultB: new PublicKey(vaultB),
      mintLp: key(),
      mintA: new PublicKey(mintA),
      mintB: new PublicKey(mintB),
      mintProgramA: key(),
      mintProgramB: key(),
      observationId: key(),
      bump: 1,
      status: shape.status ?? 0,
      lpDecimals: 9,
      mintDecimalA: 9,
      mintDecimalB: 6,
      lpAmount: new BN(7),
      ...Object.fromEntries(names.split(' ').map((name, i) => [name, bn(owed[i]!)])),
      openTime: bn(shape.openTime ?? 0n),
      epoch: new BN(1),
      feeOn: shape.feeOn ?? 0,
      enableCreatorFee: shape.enabled ?? true,
      '': zeros(28),
    },
    data,
  );
  data.set(Buffer.from(DISCRIMINATORS.pool, 'hex'));
  world.vault(vaultA, decodeBase58(mintA)!, shape.reserves[0] + owed[0]! + owed[2]! + owed[4]!);
  world.vault(vaultB, decodeBase58(mintB)!, shape.reserves[1] + owed[1]! + owed[3]! + owed[5]!);
  return world.put(world.key(), raydiumCpmmPools.program, data);
}
