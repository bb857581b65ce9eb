import type { PoolKind, PoolRecord, ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import { poolTrustCode, poolTrustOf } from '#libs/protocol/codec/pool-trust.js';
import { POOL_KINDS } from '#libs/protocol/codec/registry-records.js';
import type { PoolScalars } from './pool-scalars.js';
import { BadStateError, type StateReader, type StateWriter } from './state-bytes.js';

/** Binary form of what the fold keeps: one value has one encoding. */
export function writeReference(w: StateWriter, reference: ReferenceSet): void {
  w.byte(reference.family === 'evm' ? 0 : 1);
  w.hex(reference.genesisHash);
  w.uint(reference.startHeight);
  w.uint(reference.decoderVersion);
  w.hex(reference.coin.token);
  w.text(reference.coin.symbol);
  w.uint(reference.coin.decimals);
  w.uint(reference.stables.length);
  for (const stable of reference.stables) w.hex(stable);
  const { minQuoteUsd, depegBps, spotFactor, dustCents } = reference.rules;
  for (const rule of [minQuoteUsd, depegBps, spotFactor, dustCents]) w.text(String(rule));
}

export function readReference(r: StateReader): ReferenceSet {
  const family = r.byte() === 0 ? 'evm' : 'solana';
  const genesisHash = r.hex();
  const startHeight = r.uint();
  const decoderVersion = r.uint();
  const coin = { token: r.hex(), symbol: r.text(), decimals: r.uint() };
  const stables = r.list(() => r.hex());
  const [minQuoteUsd, depegBps, spotFactor, dustCents] = Array.from({ length: 4 }, () => Number(r.text()));
  const rules = { minQuoteUsd: minQuoteUsd!, depegBps: depegBps!, spotFactor: spotFactor!, dustCents: dustCents! };
  return { family, genesisHash, startHeight, decoderVersion, coin, stables, rules };
}

export function writeToken(w: StateWriter, record: TokenRecord): void {
  w.hex(record.token);
  w.optional(record.decimals, (value) => w.uint(value));
  w.optional(record.symbol, (value) => w.text(value));
  w.optional(record.name, (value) => w.text(value));
  w.optional(record.totalSupply, (value) => w.bigint(value));
}

export function readTokenRecord(r: StateReader): TokenRecord {
  return {
    token: r.hex(),
    decimals: r.optional(() => r.uint()),
    symbol: r.optional(() => r.text()),
    name: r.optional(() => r.text()),
    totalSupply: r.optional(() => r.bigint()),
  };
}

export function writePoolRecord(w: StateWriter, record: PoolRecord): void {
  w.hex(record.pool);
  w.text(record.venue);
  w.byte(POOL_KINDS.indexOf(record.kind));
  w.hex(record.token0);
  w.hex(record.token1);
  w.uint(record.feePpm);
  w.uint(record.tickSpacing);
  w.byte(record.created ? 1 : 0);
}

export function readPoolRecord(r: StateReader): PoolRecord {
  return {
    pool: r.hex(),
    venue: r.text(),
    kind: readKind(r),
    token0: r.hex(),
    token1: r.hex(),
    feePpm: r.uint(),
    tickSpacing: r.uint(),
    created: r.byte() === 1,
  };
}

function readKind(r: StateReader): PoolKind {
  const kind = POOL_KINDS[r.byte()];
  if (kind === undefined) throw new BadStateError('a pool of an unknown kind');
  return kind;
}

export function writeScalars(w: StateWriter, scalars: PoolScalars): void {
  w.bigint(scalars.reserve0);
  w.bigint(scalars.reserve1);
  w.bigint(scalars.sqrtPriceX96);
  w.int(scalars.tick);
  w.bigint(scalars.liquidity);
  w.byte(poolTrustCode(scalars));
  // Most pools have neither, and end here.
  const { shown, rangesKnown } = scalars;
  if (shown === null && !rangesKnown) return;
  w.byte(rangesKnown ? 1 : 0);
  w.optional(shown, ({ at, amount0, amount1 }) => {
    for (const number of [at, amount0, amount1]) w.bigint(number);
  });
}

export function readScalars(r: StateReader): PoolScalars {
  const numbers = {
    reserve0: r.bigint(),
    reserve1: r.bigint(),
    sqrtPriceX96: r.bigint(),
    tick: r.int(),
    liquidity: r.bigint(),
  };
  const standing = poolTrustOf(r.byte());
  if (standing === undefined) throw new BadStateError('a pool of an unknown standing');
  if (r.atEnd) return { ...numbers, ...standing, shown: null, rangesKnown: false };
  const rangesKnown = r.byte() === 1;
  const shown = r.optional(() => ({ at: r.bigint(), amount0: r.bigint(), amount1: r.bigint() }));
  return { ...numbers, ...standing, shown, rangesKnown };
}
