import type { Hex } from '#libs/core/ids.js';
import type { PoolKind, PoolRecord, ReferenceSet, TickRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { standingCode, standingOf } from '#libs/protocol/codec/pool-standing.js';
import { POOL_KINDS } from '#libs/protocol/codec/registry-records.js';
import { foldVersion } from './fold-version.js';
import type { PoolScalars, PoolState } from './pool-state.js';
import { BadSnapshotError, CHECKSUM_BYTES, checksum, StateReader, StateWriter } from './state-bytes.js';
import { TokenTable } from './token-table.js';
import type { BlockUndo } from './undo.js';

/**
 * Binary form of a fold's state. Invariant: equal states give equal bytes, whatever path led to them: everything is
 * sorted by id, prices and guards are left out because they follow from the rest.
 * Layout: magic, format version, fold version, position, state, undo records, 16 bytes of sha256 over all before.
 */
const MAGIC = 0x54464c44;
const FORMAT = 1;

export interface Position {
  epoch: number;
  /** Of the last group that was applied. */
  seq: number;
  height: number;
  hash: Hex;
}

/** A block that retractions may name as the new head. */
export interface BlockRef {
  seq: number;
  height: number;
  hash: Hex;
}

export interface FoldState {
  chain: string;
  position: Position;
  /** The epoch's block before the first one. */
  origin: BlockRef;
  /** The block below the oldest undo record. */
  base: BlockRef;
  table: TokenTable;
  /** Ascending. */
  recent: BlockUndo[];
}

const byId = <T>(map: Map<Hex, T>): T[] => [...map.keys()].sort().map((id) => map.get(id)!);

/** The state alone, without seq and undo: what two paths to the same chain must agree on. */
export function stateBytes(state: FoldState): Buffer {
  const w = new StateWriter();
  writeState(w, state);
  return w.bytes();
}

function writeState(w: StateWriter, state: FoldState): void {
  w.text(state.chain);
  w.uint(state.position.epoch);
  w.uint(state.position.height + 1);
  w.hex(state.position.hash);
  writeReference(w, state.table.reference);
  const records = byId(state.table.tokens)
    .map((token) => token.record)
    .filter((record) => record !== null);
  w.uint(records.length);
  for (const record of records) writeToken(w, record);
  w.uint(state.table.pools.size);
  for (const pool of byId(state.table.pools)) {
    writePoolRecord(w, pool.record);
    writeScalars(w, pool);
    const ticks = [...pool.ticks.values()].sort((a, b) => a.tick - b.tick);
    w.uint(ticks.length);
    for (const tick of ticks) writeTick(w, tick);
  }
}

export function encodeSnapshot(state: FoldState): Uint8Array {
  const w = new StateWriter();
  w.uint(MAGIC);
  w.uint(FORMAT);
  w.uint(foldVersion);
  w.uint(state.position.seq);
  writeState(w, state);
  writeRef(w, state.origin);
  writeRef(w, state.base);
  w.uint(state.recent.length);
  for (const block of state.recent) writeUndo(w, block);
  const body = w.bytes();
  return Buffer.concat([body, checksum(body)]);
}

export function decodeSnapshot(bytes: Uint8Array): FoldState {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = whole.subarray(0, Math.max(0, whole.length - CHECKSUM_BYTES));
  if (!checksum(body).equals(whole.subarray(body.length))) throw new BadSnapshotError('checksum differs');
  const r = new StateReader(body);
  if (r.uint() !== MAGIC) throw new BadSnapshotError('not a fold snapshot');
  const format = r.uint();
  if (format !== FORMAT) throw new BadSnapshotError(`format ${format}, this program reads ${FORMAT}`);
  const version = r.uint();
  if (version !== foldVersion) throw new BadSnapshotError(`fold version ${version}, this program is ${foldVersion}`);
  const seq = r.uint();
  const chain = r.text();
  const epoch = r.uint();
  const height = r.uint() - 1;
  const hash = r.hex();
  const table = new TokenTable(readReference(r));
  for (const record of r.list(() => readToken(r))) table.token(record.token).record = record;
  r.list(() => readPool(r, table));
  const origin = readRef(r);
  const base = readRef(r);
  const recent = r.list(() => readUndo(r, table));
  r.end();
  return { chain, position: { epoch, seq, height, hash }, origin, base, table, recent };
}

function writeReference(w: StateWriter, reference: ReferenceSet): void {
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

function readReference(r: StateReader): ReferenceSet {
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

function writeToken(w: StateWriter, record: TokenRecord): void {
  w.hex(record.token);
  w.optional(record.decimals, (value) => w.uint(value));
  w.optional(record.symbol, (value) => w.text(value));
  w.optional(record.name, (value) => w.text(value));
  w.optional(record.totalSupply, (value) => w.bigint(value));
}

function readToken(r: StateReader): TokenRecord {
  return {
    token: r.hex(),
    decimals: r.optional(() => r.uint()),
    symbol: r.optional(() => r.text()),
    name: r.optional(() => r.text()),
    totalSupply: r.optional(() => r.bigint()),
  };
}

function writePoolRecord(w: StateWriter, record: PoolRecord): void {
  w.hex(record.pool);
  w.text(record.venue);
  w.byte(POOL_KINDS.indexOf(record.kind));
  w.hex(record.token0);
  w.hex(record.token1);
  w.uint(record.feePpm);
  w.uint(record.tickSpacing);
  w.byte(record.created ? 1 : 0);
}

function readPool(r: StateReader, table: TokenTable): PoolState {
  const record: PoolRecord = {
    pool: r.hex(),
    venue: r.text(),
    kind: readKind(r),
    token0: r.hex(),
    token1: r.hex(),
    feePpm: r.uint(),
    tickSpacing: r.uint(),
    created: r.byte() === 1,
  };
  const pool = table.addPool(record);
  if (pool === null) throw new BadSnapshotError('a pool twice');
  pool.setScalars(readScalars(r));
  table.countApart(pool);
  for (const tick of r.list(() => readTick(r))) pool.restoreTick(tick.tick, tick);
  return pool;
}

function readKind(r: StateReader): PoolKind {
  const kind = POOL_KINDS[r.byte()];
  if (kind === undefined) throw new BadSnapshotError('a pool of an unknown kind');
  return kind;
}

function writeScalars(w: StateWriter, scalars: PoolScalars): void {
  w.bigint(scalars.reserve0);
  w.bigint(scalars.reserve1);
  w.bigint(scalars.sqrtPriceX96);
  w.int(scalars.tick);
  w.bigint(scalars.liquidity);
  w.byte(standingCode(scalars));
}

function readScalars(r: StateReader): PoolScalars {
  const numbers = {
    reserve0: r.bigint(),
    reserve1: r.bigint(),
    sqrtPriceX96: r.bigint(),
    tick: r.int(),
    liquidity: r.bigint(),
  };
  const standing = standingOf(r.byte());
  if (standing === undefined) throw new BadSnapshotError('a pool of an unknown standing');
  return { ...numbers, ...standing };
}

function writeTick(w: StateWriter, tick: TickRecord): void {
  w.int(tick.tick);
  w.bigint(tick.liquidityGross);
  w.bigint(tick.liquidityNet);
}

function readTick(r: StateReader): TickRecord {
  return { tick: r.int(), liquidityGross: r.bigint(), liquidityNet: r.bigint() };
}

function writeRef(w: StateWriter, ref: BlockRef): void {
  w.uint(ref.seq);
  w.uint(ref.height + 1);
  w.hex(ref.hash);
}

function readRef(r: StateReader): BlockRef {
  return { seq: r.uint(), height: r.uint() - 1, hash: r.hex() };
}

function writeUndo(w: StateWriter, block: BlockUndo): void {
  writeRef(w, block);
  w.uint(block.tokens.length);
  for (const token of [...block.tokens].sort()) w.hex(token);
  w.uint(block.pools.length);
  for (const undo of [...block.pools].sort((a, b) => (a.pool.id < b.pool.id ? -1 : 1))) {
    w.hex(undo.pool.id);
    w.byte(undo.replaced ? 1 : 0);
    w.optional(undo.before, (scalars) => writeScalars(w, scalars));
    const ticks = [...(undo.ticks ?? [])].sort((a, b) => a[0] - b[0]);
    w.uint(ticks.length);
    for (const [tick, record] of ticks) {
      w.int(tick);
      w.optional(record, (known) => writeTick(w, known));
    }
  }
}

function readUndo(r: StateReader, table: TokenTable): BlockUndo {
  const ref = readRef(r);
  const tokens = r.list(() => r.hex());
  const pools = r.list(() => {
    const pool = table.pools.get(r.hex());
    if (pool === undefined) throw new BadSnapshotError('undo of an unknown pool');
    const replaced = r.byte() === 1;
    const before = r.optional(() => readScalars(r));
    const ticks = r.list((): [number, TickRecord | null] => [r.int(), r.optional(() => readTick(r))]);
    return { pool, before, ticks: ticks.length === 0 ? null : new Map(ticks), replaced };
  });
  return { ...ref, tokens, pools };
}
