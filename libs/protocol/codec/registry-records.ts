import type { PoolKind, PoolRecord, ReferenceSet, TickRecord, TokenRecord } from '../blocks.js';
import type { ByteReader } from './byte-reader.js';
import { type ByteWriter, unencodable } from './byte-writer.js';
import { readDeltas, readSigned, readUnsigned } from './columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';

/** Sections that blocks and facts share: reference set, tokens, pools, ticks. */
const FAMILIES: readonly ReferenceSet['family'][] = ['evm', 'solana'];
/** By their number in records: the list only grows at its end. */
export const POOL_KINDS: readonly PoolKind[] = [
  'constant-product',
  'concentrated',
  'curve',
  'stable',
  'shared',
  'hooked',
];

export function writeReferenceSet(out: GroupWriter, set: ReferenceSet): void {
  out.u8(indexOrRefuse(FAMILIES, set.family));
  out.id(set.genesisHash);
  out.varint(set.startHeight);
  out.varuint(set.decoderVersion);
  out.id(set.coin.token);
  out.text(set.coin.symbol);
  out.varuint(set.coin.decimals);
  out.varuint(set.stables.length);
  for (const stable of set.stables) out.id(stable);
  out.f64(set.rules.minQuoteUsd);
  out.f64(set.rules.depegBps);
  out.f64(set.rules.spotFactor);
  out.f64(set.rules.dustCents);
}

export function readReferenceSet(input: GroupReader): ReferenceSet {
  const family = FAMILIES[input.u8()] ?? input.fail('unknown family');
  const genesisHash = input.id();
  const startHeight = input.varint();
  const decoderVersion = input.varuint();
  const coin = { token: input.id(), symbol: input.text(), decimals: input.varuint() };
  const stables: string[] = [];
  for (let left = input.count(1); left > 0; left--) stables.push(input.id());
  const rules = { minQuoteUsd: input.f64(), depegBps: input.f64(), spotFactor: input.f64(), dustCents: input.f64() };
  return { family, genesisHash, startHeight, decoderVersion, coin, stables, rules };
}

export function writeTokens(out: GroupWriter, tokens: readonly TokenRecord[]): void {
  out.varuint(tokens.length);
  for (const token of tokens) {
    out.id(token.token);
    out.varuint(token.decimals === null ? 0 : token.decimals + 1);
    out.textOrNull(token.symbol);
    out.textOrNull(token.name);
    out.unsignedOrNull(token.totalSupply);
  }
}

export function readTokens(input: GroupReader): TokenRecord[] {
  const tokens: TokenRecord[] = [];
  for (let left = input.count(5); left > 0; left--) {
    const token = input.id();
    const decimals = input.varuint();
    tokens.push({
      token,
      decimals: decimals === 0 ? null : decimals - 1,
      symbol: input.textOrNull(),
      name: input.textOrNull(),
      totalSupply: input.unsignedOrNull(),
    });
  }
  return tokens;
}

export function writePools(out: GroupWriter, pools: readonly PoolRecord[]): void {
  out.varuint(pools.length);
  for (const pool of pools) {
    out.id(pool.pool);
    out.label(pool.venue);
    out.u8(indexOrRefuse(POOL_KINDS, pool.kind));
    out.id(pool.token0);
    out.id(pool.token1);
    out.varuint(pool.feePpm);
    out.varuint(pool.tickSpacing);
    out.u8(pool.created ? 1 : 0);
  }
}

export function readPools(input: GroupReader): PoolRecord[] {
  const pools: PoolRecord[] = [];
  for (let left = input.count(8); left > 0; left--) {
    pools.push({
      pool: input.id(),
      venue: input.label(),
      kind: POOL_KINDS[input.u8()] ?? input.fail('unknown pool kind'),
      token0: input.id(),
      token1: input.id(),
      feePpm: input.varuint(),
      tickSpacing: input.varuint(),
      created: input.flag(),
    });
  }
  return pools;
}

export function writeTicks(out: ByteWriter, ticks: readonly TickRecord[]): void {
  out.varuint(ticks.length);
  writeTickColumn(out, ticks);
  for (const tick of ticks) out.unsigned(tick.liquidityGross);
  for (const tick of ticks) out.signed(tick.liquidityNet);
}

export function readTicks(input: ByteReader): TickRecord[] {
  const count = input.count(3);
  const indexes = readDeltas(input, count);
  const gross = readUnsigned(input, count);
  const net = readSigned(input, count);
  return indexes.map((tick, i) => ({ tick, liquidityGross: gross[i]!, liquidityNet: net[i]! }));
}

function writeTickColumn(out: ByteWriter, ticks: readonly TickRecord[]): void {
  let previous = 0;
  for (const { tick } of ticks) {
    out.varint(tick - previous);
    previous = tick;
  }
}

export function indexOrRefuse<T>(values: readonly T[], value: T): number {
  const index = values.indexOf(value);
  if (index < 0) unencodable(`${String(value)}: not one of ${values.join(', ')}`);
  return index;
}
