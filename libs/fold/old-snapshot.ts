import { createHash } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, ReferenceSet, TickRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { foldVersion } from './fold-version.js';
import type { PoolScalars } from './pool-scalars.js';
import { BadStateError, StateReader } from './state-bytes.js';
import { readPoolRecord, readReference, readScalars, readTick, readToken } from './state-records.js';

/**
 * The state as releases before keyed state kept it: one file. It is only read, where a folder has nothing newer.
 * Layout: magic, format version, fold version, position, state, the block before the first one, undo records of blocks that were
 * sealed when the file was written, 16 bytes of sha256 over all before.
 */
export interface OldSnapshot {
  chain: string;
  position: { epoch: number; seq: number; height: number; hash: Hex };
  /** The block before the first one. */
  origin: { height: number; hash: Hex };
  reference: ReferenceSet;
  tokens: TokenRecord[];
  pools: { record: PoolRecord; scalars: PoolScalars; ticks: TickRecord[] }[];
}

const MAGIC = 0x54464c44;
const FORMAT = 1;
const CHECKSUM_BYTES = 16;

export function decodeOldSnapshot(bytes: Uint8Array): OldSnapshot {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = whole.subarray(0, Math.max(0, whole.length - CHECKSUM_BYTES));
  const checksum = createHash('sha256').update(body).digest().subarray(0, CHECKSUM_BYTES);
  if (!checksum.equals(whole.subarray(body.length))) throw new BadStateError('the checksum of a snapshot differs');
  const r = new StateReader(body);
  if (r.uint() !== MAGIC) throw new BadStateError('not a snapshot');
  const format = r.uint();
  if (format !== FORMAT) throw new BadStateError(`a snapshot of format ${format}, this program reads ${FORMAT}`);
  const version = r.uint();
  if (version !== foldVersion)
    throw new BadStateError(`a snapshot of fold version ${version}, this program is ${foldVersion}`);
  const seq = r.uint();
  const chain = r.text();
  const position = { epoch: r.uint(), seq, height: r.uint() - 1, hash: r.hex() };
  const reference = readReference(r);
  const tokens = r.list(() => readToken(r));
  const pools = r.list(() => ({
    ...{ record: readPoolRecord(r), scalars: readScalars(r) },
    ticks: r.list(() => readTick(r)),
  }));
  r.uint();
  return { chain, position, origin: { height: r.uint() - 1, hash: r.hex() }, reference, tokens, pools };
}
