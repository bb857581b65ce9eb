import type { Hex } from '#libs/core/ids.js';
import type { Envelope, GroupKind } from '../envelope.js';
import type { ByteReader } from './byte-reader.js';
import { type ByteWriter, unencodable } from './byte-writer.js';

/**
 * The fixed header of every encoded group.
 *
 * magic 'TP' · record u8 · version u8 · kind u8 · bytes of hash, parentHash, inputHash, chain u8 each · epoch u32 ·
 * seq, height, time i64 · chain · hash · parentHash · inputHash
 */
export const MAX_ID_BYTES = 64;

export type RecordType = 'blocks' | 'facts';

export interface GroupHeader extends Envelope {
  record: RecordType;
  version: number;
  kind: GroupKind;
  /** Hash of the blocks group that a facts group was folded from; null on blocks. */
  inputHash: Hex | null;
}

/** Version of each record's form that is written, and the first that is still read. */
const VERSIONS = { blocks: { written: 1, first: 1 }, facts: { written: 2, first: 1 } } as const;
const MAGIC_0 = 0x54;
const MAGIC_1 = 0x50;
const RECORDS: readonly RecordType[] = ['blocks', 'facts'];
const KINDS: readonly GroupKind[] = ['epoch', 'block', 'retract', 'finalize'];
const CHAIN = /^[A-Za-z0-9._-]{1,64}$/;

export function writeHeader(
  out: ByteWriter,
  record: RecordType,
  kind: GroupKind,
  envelope: Envelope,
  inputHash: Hex,
): void {
  const { chain, hash, parentHash } = envelope;
  if (!CHAIN.test(chain)) unencodable(`chain ${JSON.stringify(chain)}`);
  for (const id of [hash, parentHash, inputHash]) {
    if (id.length > MAX_ID_BYTES * 2) unencodable(`hash of ${id.length} digits`);
  }
  if (envelope.seq < 0) unencodable(`seq ${envelope.seq}`);
  out.u8(MAGIC_0);
  out.u8(MAGIC_1);
  out.u8(RECORDS.indexOf(record));
  out.u8(VERSIONS[record].written);
  out.u8(KINDS.indexOf(kind));
  out.u8(hash.length >>> 1);
  out.u8(parentHash.length >>> 1);
  out.u8(inputHash.length >>> 1);
  out.u8(chain.length);
  out.u32(envelope.epoch);
  out.i64(envelope.seq);
  out.i64(envelope.height);
  out.i64(envelope.time);
  out.raw(Buffer.from(chain, 'latin1'));
  out.hex(hash);
  out.hex(parentHash);
  out.hex(inputHash);
}

export function readGroupHeader(input: ByteReader): GroupHeader {
  if (input.u8() !== MAGIC_0 || input.u8() !== MAGIC_1) input.fail('not a group');
  const record = RECORDS[input.u8()] ?? input.fail('unknown record type');
  const version = input.u8();
  const { first, written } = VERSIONS[record];
  if (version < first || version > written) input.fail(`unknown version ${version}`);
  const kind = KINDS[input.u8()] ?? input.fail('unknown kind');
  const hashLength = input.u8();
  const parentLength = input.u8();
  const inputHashLength = input.u8();
  const chainLength = input.u8();
  if (Math.max(hashLength, parentLength, inputHashLength) > MAX_ID_BYTES) input.fail('hash too long');
  if (record === 'blocks' && inputHashLength !== 0) input.fail('input hash on a blocks group');
  const epoch = input.u32();
  const seq = input.i64();
  if (seq < 0) input.fail(`seq ${seq}`);
  const height = input.i64();
  const time = input.i64();
  const chain = Buffer.from(input.raw(chainLength)).toString('latin1');
  if (!CHAIN.test(chain)) input.fail('chain is not a slug');
  const hash = input.hex(hashLength);
  const parentHash = input.hex(parentLength);
  const inputHash = input.hex(inputHashLength);
  return {
    record,
    version,
    kind,
    chain,
    epoch,
    seq,
    height,
    hash,
    parentHash,
    time,
    inputHash: record === 'blocks' ? null : inputHash,
  };
}
