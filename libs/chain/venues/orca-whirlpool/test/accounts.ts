import { PublicKey } from '@solana/web3.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { orcaWhirlpool } from '../decode.js';

/**
 * Accounts of Orca Whirlpool written field by field in the order of the program's own structs (repository
 * orca-so/whirlpools, programs/whirlpool/src/state).
 */
export class StructWriter {
  private readonly parts: Buffer[] = [];

  bytes(value: Uint8Array | string): this {
    this.parts.push(Buffer.from(typeof value === 'string' ? decodeBase58(value)! : value));
    return this;
  }

  hex(value: string): this {
    return this.bytes(Buffer.from(value, 'hex'));
  }

  zeros(length: number): this {
    return this.bytes(new Uint8Array(length));
  }

  /** Little-endian two's complement. */
  int(value: bigint | number, bits: number): this {
    let rest = BigInt.asUintN(bits, BigInt(value));
    const part = Buffer.alloc(bits / 8);
    for (let i = 0; i < part.length; i++, rest >>= 8n) part[i] = Number(rest & 0xffn);
    return this.bytes(part);
  }

  done(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.parts));
  }
}

export const addressOf = (name: string): string => encodeBase58(Buffer.alloc(32, name.padEnd(32, '.')));

export const owned = (data: Uint8Array, owner = orcaWhirlpool.program): SolanaAccount => ({
  owner,
  lamports: 1n,
  data,
});

export const tokenAccount = (mint: string, amount: bigint): SolanaAccount =>
  owned(new StructWriter().bytes(mint).zeros(32).int(amount, 64).zeros(36).int(1, 8).zeros(56).done(), TOKEN_PROGRAM);

export interface PoolFields {
  tickSpacing: number;
  feeTierIndex: number;
  feeRate: number;
  liquidity: bigint;
  sqrtPrice: bigint;
  tick: number;
  protocolFeeA: bigint;
  protocolFeeB: bigint;
}

export const MINTS = ['mint A', 'mint B'].map(addressOf) as [string, string];
export const VAULTS = ['vault A', 'vault B'].map(addressOf) as [string, string];

export const poolData = (pool: PoolFields): Uint8Array =>
  new StructWriter()
    .hex('3f95d10ce1806309')
    .zeros(32 + 1)
    .int(pool.tickSpacing, 16)
    .int(pool.feeTierIndex, 16)
    .int(pool.feeRate, 16)
    .int(1300, 16)
    .int(pool.liquidity, 128)
    .int(pool.sqrtPrice, 128)
    .int(pool.tick, 32)
    .int(pool.protocolFeeA, 64)
    .int(pool.protocolFeeB, 64)
    .bytes(MINTS[0])
    .bytes(VAULTS[0])
    .int(7, 128)
    .bytes(MINTS[1])
    .bytes(VAULTS[1])
    .int(9, 128)
    .int(1_700_000_000, 64)
    .zeros(384)
    .done();

export interface TickFields {
  net: bigint;
  gross: bigint;
}
type Ticks = readonly (TickFields | undefined)[];

export function fixedArrayData(pool: string, start: number, ticks: Ticks): Uint8Array {
  const writer = new StructWriter().hex('4561bdbe6e0742bb').int(start, 32);
  for (const tick of ticks) {
    writer
      .int(tick ? 1 : 0, 8)
      .int(tick?.net ?? 0n, 128)
      .int(tick?.gross ?? 0n, 128)
      .zeros(80);
  }
  return writer.bytes(pool).done();
}

export function growingArrayData(pool: string, start: number, ticks: Ticks): Uint8Array {
  const writer = new StructWriter().hex('11d8f68ee1c7da38').int(start, 32).bytes(pool);
  writer.int(
    ticks.reduce((bitmap, tick, i) => (tick ? bitmap | (1n << BigInt(i)) : bitmap), 0n),
    128,
  );
  for (const tick of ticks) {
    if (tick) writer.int(1, 8).int(tick.net, 128).int(tick.gross, 128).zeros(80);
    else writer.int(0, 8);
  }
  return writer.done();
}

export interface OracleFields {
  tradeEnableTimestamp: bigint;
  adaptiveFeeConstants: {
    filterPeriod: number;
    decayPeriod: number;
    reductionFactor: number;
    adaptiveFeeControlFactor: number;
    maxVolatilityAccumulator: number;
    tickGroupSize: number;
    majorSwapThresholdTicks: number;
  };
  adaptiveFeeVariables: {
    lastReferenceUpdateTimestamp: bigint;
    lastMajorSwapTimestamp: bigint;
    volatilityReference: number;
    tickGroupIndexReference: number;
    volatilityAccumulator: number;
  };
}

export function oracleData(pool: string, oracle: OracleFields): Uint8Array {
  const { adaptiveFeeConstants: fixed, adaptiveFeeVariables: moving } = oracle;
  return new StructWriter()
    .hex('8bc283b38cb3e5f4')
    .bytes(pool)
    .int(oracle.tradeEnableTimestamp, 64)
    .int(fixed.filterPeriod, 16)
    .int(fixed.decayPeriod, 16)
    .int(fixed.reductionFactor, 16)
    .int(fixed.adaptiveFeeControlFactor, 32)
    .int(fixed.maxVolatilityAccumulator, 32)
    .int(fixed.tickGroupSize, 16)
    .int(fixed.majorSwapThresholdTicks, 16)
    .zeros(16)
    .int(moving.lastReferenceUpdateTimestamp, 64)
    .int(moving.lastMajorSwapTimestamp, 64)
    .int(moving.volatilityReference, 32)
    .int(moving.tickGroupIndexReference, 32)
    .int(moving.volatilityAccumulator, 32)
    .zeros(16 + 128)
    .done();
}

/** Derived here by themselves, so that the venue's own derivation is checked. */
const derived = (...seeds: (string | Uint8Array)[]): string =>
  PublicKey.findProgramAddressSync(
    seeds.map((seed) => Buffer.from(seed)),
    new PublicKey(orcaWhirlpool.program),
  )[0].toBase58();

export const tickArrayOf = (pool: string, start: number): string =>
  derived('tick_array', decodeBase58(pool)!, String(start));
export const oracleOf = (pool: string): string => derived('oracle', decodeBase58(pool)!);
