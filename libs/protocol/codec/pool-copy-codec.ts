import type { Hex } from '#libs/core/ids.js';
import { type PoolRecord, statesPrice } from '../blocks.js';
import type { PoolStateFact } from '../facts.js';
import type { PoolCopy, PoolCopyMark } from '../pool-copy.js';
import { ByteReader } from './byte-reader.js';
import { ByteWriter, unencodable } from './byte-writer.js';
import { MAX_ID_BYTES } from './group-header.js';
import { poolTrustCode, poolTrustOf } from './pool-trust.js';
import { POOL_KINDS, readTicks, writeTicks } from './registry-records.js';

/**
 * Binary form of the records of `pools.*`. A pool's copy has one or more parts, because a pool can have more ticks
 * than a broker takes in one record; part 0 is under the pool's id, part n under `<id>/<n>`.
 *
 * part: magic 'TP' · record u8 · version u8 · seq i64 · index u32 · parts u32 · its piece of the body
 * mark: magic 'TP' · record u8 · version u8 · seq i64 · height i64 · time i64 · hash
 *
 * Invariant: equal copies give equal bytes, and parts of equal states differ in nothing but seq.
 */
const POOL_COPY_VERSION = 1;
/** Bytes of the body in one part. */
const POOL_PART_BYTES = 512 * 1024;

const MAGIC_0 = 0x54;
const MAGIC_1 = 0x50;
const COPY = 2;
const MARK = 3;
/** Where what follows seq begins. */
const AFTER_SEQ = 12;

export interface PoolPart {
  key: string;
  value: Uint8Array;
}

export function encodePoolCopy(copy: PoolCopy, partBytes = POOL_PART_BYTES): PoolPart[] {
  body.reset();
  writeRecord(body, copy.record);
  writeState(body, copy.record, copy.state);
  const bytes = body.written();
  const parts = Math.ceil(bytes.length / partBytes);
  return Array.from({ length: parts }, (_, index) => {
    const piece = bytes.subarray(index * partBytes, (index + 1) * partBytes);
    return { key: partKey(copy.record.pool, index), value: encodePart(copy.seq, index, parts, piece) };
  });
}

/** Keys of pools' first parts name the pool; those of the others have a `/`. */
export const isFurtherPart = (key: string): boolean => key.includes('/');

export const partKey = (pool: Hex, index: number): string => (index === 0 ? pool : `${pool}/${index}`);

export const poolOfPart = (key: string): Hex => key.split('/')[0]!;

/** Whether two parts say the same of a pool, whichever groups they say it of. */
export function samePoolPart(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a.subarray(AFTER_SEQ), b.subarray(AFTER_SEQ)) === 0;
}

export function encodePoolMark(mark: PoolCopyMark): Uint8Array {
  frame.reset();
  writeHeader(MARK, mark.seq);
  frame.i64(mark.height);
  frame.i64(mark.time);
  writeId(frame, mark.hash);
  return new Uint8Array(frame.written());
}

export function decodePoolMark(value: Uint8Array): PoolCopyMark {
  const input = new ByteReader(value, 'mark of pool copies');
  const seq = readHeader(input, MARK);
  const height = input.i64();
  const time = input.i64();
  const hash = readId(input);
  input.expectEnd();
  return { seq, height, hash, time };
}

/**
 * The copy under a pool's id; null when a further part of it is missing or of another seq: it was being replaced while
 * the topic was read.
 */
export function decodePoolCopy(
  pool: Hex,
  first: Uint8Array,
  further: (index: number) => Uint8Array | undefined,
): PoolCopy | null {
  const part = decodePart(first);
  const pieces = [part.piece];
  for (let index = 1; index < part.parts; index++) {
    const value = further(index);
    const next = value === undefined ? null : decodePart(value);
    if (next === null || next.seq !== part.seq || next.parts !== part.parts || next.index !== index) return null;
    pieces.push(next.piece);
  }
  const input = new ByteReader(pieces.length === 1 ? part.piece : Buffer.concat(pieces), 'pool copy');
  const record = readRecord(input);
  if (record.pool !== pool) input.fail(`pool ${record.pool} under the key ${pool}`);
  if (part.index !== 0) input.fail(`part ${part.index} under the key ${pool}`);
  const state = readState(input, record);
  input.expectEnd();
  return { seq: part.seq, record, state };
}

/** What one part says of itself, without its neighbours. */
export function decodePart(value: Uint8Array): { seq: number; index: number; parts: number; piece: Uint8Array } {
  const input = new ByteReader(value, 'pool copy');
  const seq = readHeader(input, COPY);
  const index = input.u32();
  const parts = input.u32();
  if (index >= parts) input.fail(`part ${index} of ${parts}`);
  return { seq, index, parts, piece: input.raw(input.remaining) };
}

const body = new ByteWriter();
const frame = new ByteWriter();

function encodePart(seq: number, index: number, parts: number, piece: Uint8Array): Uint8Array {
  frame.reset();
  writeHeader(COPY, seq);
  frame.u32(index);
  frame.u32(parts);
  frame.raw(piece);
  return new Uint8Array(frame.written());
}

function writeHeader(record: number, seq: number): void {
  if (seq < 0) unencodable(`seq ${seq}`);
  frame.u8(MAGIC_0);
  frame.u8(MAGIC_1);
  frame.u8(record);
  frame.u8(POOL_COPY_VERSION);
  frame.i64(seq);
}

function readHeader(input: ByteReader, expected: number): number {
  if (input.u8() !== MAGIC_0 || input.u8() !== MAGIC_1) input.fail('not a record of pools');
  const record = input.u8();
  if (record !== expected) input.fail(`record type ${record}`);
  const version = input.u8();
  if (version !== POOL_COPY_VERSION) input.fail(`unknown version ${version}`);
  const seq = input.i64();
  if (seq < 0) input.fail(`seq ${seq}`);
  return seq;
}

function writeRecord(out: ByteWriter, record: PoolRecord): void {
  const kind = POOL_KINDS.indexOf(record.kind);
  if (kind < 0) unencodable(`pool kind ${String(record.kind)}`);
  writeId(out, record.pool);
  out.text(record.venue);
  out.u8(kind);
  writeId(out, record.token0);
  writeId(out, record.token1);
  out.varuint(record.feePpm);
  out.varuint(record.tickSpacing);
  out.u8(record.created ? 1 : 0);
}

function readRecord(input: ByteReader): PoolRecord {
  return {
    pool: readId(input),
    venue: input.text(),
    kind: POOL_KINDS[input.u8()] ?? input.fail('unknown pool kind'),
    token0: readId(input),
    token1: readId(input),
    feePpm: input.varuint(),
    tickSpacing: input.varuint(),
    created: input.flag(),
  };
}

function writeState(out: ByteWriter, record: PoolRecord, state: PoolStateFact): void {
  const { concentrated } = state;
  if (state.pool !== record.pool) unencodable(`state of ${state.pool} with the record of ${record.pool}`);
  if ((concentrated !== null) !== statesPrice(record.kind)) unencodable(`${record.kind} pool with another state`);
  out.unsigned(state.reserve0);
  out.unsigned(state.reserve1);
  out.u8(poolTrustCode(state));
  if (concentrated === null) return;
  if (!concentrated.ticksComplete) unencodable('a part of the ticks');
  out.unsigned(concentrated.sqrtPriceX96);
  out.varint(concentrated.tick);
  out.unsigned(concentrated.liquidity);
  writeTicks(out, concentrated.ticks);
}

function readState(input: ByteReader, record: PoolRecord): PoolStateFact {
  const reserve0 = input.unsigned();
  const reserve1 = input.unsigned();
  const standing = poolTrustOf(input.u8()) ?? input.fail('unknown standing of a pool');
  const concentrated = statesPrice(record.kind) ? readConcentrated(input) : null;
  return { pool: record.pool, reserve0, reserve1, concentrated, ...standing };
}

function readConcentrated(input: ByteReader): PoolStateFact['concentrated'] {
  const sqrtPriceX96 = input.unsigned();
  const tick = input.varint();
  const liquidity = input.unsigned();
  return { sqrtPriceX96, tick, liquidity, ticks: readTicks(input), ticksComplete: true };
}

function writeId(out: ByteWriter, id: Hex): void {
  if (id.length > MAX_ID_BYTES * 2) unencodable(`id of ${id.length} digits`);
  out.u8(id.length >>> 1);
  out.hex(id);
}

function readId(input: ByteReader): Hex {
  const length = input.u8();
  if (length > MAX_ID_BYTES) input.fail(`id of ${length} bytes`);
  return input.hex(length);
}
