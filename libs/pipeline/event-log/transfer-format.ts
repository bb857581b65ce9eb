import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/**
 * The export file, before gzip, all integers big-endian:
 *   "TIDELOG" version u8, then blocks [length u32][crc32 u32][payload], closed by a block of length 0 whose payload of
 *   40 bytes is the number of records (u64) and the SHA-256 of all payloads before it.
 * The first payload is the topic's spec as JSON; every other one holds whole records:
 *   1 seq u64, length u32, value                                   a group of a sequenced topic
 *   2 timestamp f64, key length u16, key, length i32 (−1: tombstone), value      a keyed record
 * A block is checked before anything in it is used, and a file without its closing block is not complete.
 */
const MAGIC = Buffer.from('TIDELOG');
const VERSION = 1;
const SEQUENCED = 1;
const KEYED = 2;
const FOOTER_BYTES = 40;
export const BLOCK_BYTES = 256 * 1024;
const MAX_BLOCK = 512 * 1024 * 1024;

export type ExportedRecord =
  | { seq: number; value: Uint8Array }
  | { key: string; value: Uint8Array | null; timestamp: number };

export function badExport(reason: string): TidepoolError {
  return new TidepoolError('bad_export', `not a usable topic export: ${reason}`);
}

export function encodeRecord(record: ExportedRecord): Buffer[] {
  if ('seq' in record) {
    const head = Buffer.allocUnsafe(13);
    head.writeUInt8(SEQUENCED, 0);
    head.writeBigUInt64BE(BigInt(record.seq), 1);
    head.writeUInt32BE(record.value.length, 9);
    return [head, asBuffer(record.value)];
  }
  const key = Buffer.from(record.key);
  const head = Buffer.allocUnsafe(15 + key.length);
  head.writeUInt8(KEYED, 0);
  head.writeDoubleBE(record.timestamp, 1);
  head.writeUInt16BE(key.length, 9);
  key.copy(head, 11);
  head.writeInt32BE(record.value?.length ?? -1, 11 + key.length);
  return record.value ? [head, asBuffer(record.value)] : [head];
}

export function* decodeRecords(payload: Buffer): Generator<ExportedRecord> {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > payload.length) throw badExport('a record exceeds its block');
    at += length;
    return payload.subarray(at - length, at);
  };
  while (at < payload.length) {
    const type = take(1).readUInt8();
    if (type === SEQUENCED) {
      const seq = Number(take(8).readBigUInt64BE());
      yield { seq, value: take(take(4).readUInt32BE()) };
    } else if (type === KEYED) {
      const timestamp = take(8).readDoubleBE();
      const key = take(take(2).readUInt16BE()).toString();
      const length = take(4).readInt32BE();
      yield { key, timestamp, value: length === -1 ? null : take(length) };
    } else {
      throw badExport(`unknown record type ${type}`);
    }
  }
}

/** Frames payloads and closes the file. */
export class BlockWriter {
  private readonly hash: Hash = createHash('sha256');

  start(spec: TopicSpec): Buffer[] {
    return [MAGIC, Buffer.from([VERSION]), ...this.block([Buffer.from(JSON.stringify(spec))])];
  }

  block(parts: Buffer[]): Buffer[] {
    const payload = Buffer.concat(parts);
    this.hash.update(payload);
    return frame(payload.length, payload);
  }

  end(records: number): Buffer[] {
    const footer = Buffer.alloc(FOOTER_BYTES);
    footer.writeBigUInt64BE(BigInt(records), 0);
    this.hash.digest().copy(footer, 8);
    return frame(0, footer);
  }
}

function frame(length: number, payload: Buffer): Buffer[] {
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(length, 0);
  head.writeUInt32BE(crc32(payload), 4);
  return [head, payload];
}

/** Splits a byte stream into checked payloads; ends after the closing block and nothing else. */
export async function* readBlocks(source: AsyncIterable<Buffer>, countRecords: () => number): AsyncGenerator<Buffer> {
  const bytes = new ByteQueue(source);
  const magic = await bytes.take(MAGIC.length + 1);
  if (!magic.subarray(0, MAGIC.length).equals(MAGIC)) throw badExport('it does not start as one');
  if (magic[MAGIC.length] !== VERSION) throw badExport(`version ${magic[MAGIC.length]} is not known`);
  const hash = createHash('sha256');
  for (;;) {
    const head = await bytes.take(8);
    const length = head.readUInt32BE(0);
    if (length > MAX_BLOCK) throw badExport('a block is too long');
    const payload = await bytes.take(length === 0 ? FOOTER_BYTES : length);
    if (crc32(payload) !== head.readUInt32BE(4)) throw badExport('a block does not match its checksum');
    if (length === 0) {
      if (!hash.digest().equals(payload.subarray(8))) throw badExport('the content does not match its SHA-256');
      if (payload.readBigUInt64BE(0) !== BigInt(countRecords())) throw badExport('records are missing');
      if (!(await bytes.atEnd())) throw badExport('something follows its end');
      return;
    }
    hash.update(payload);
    yield payload;
  }
}

class ByteQueue {
  private readonly source: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.held];
    let available = this.held.length;
    while (available < length) {
      const next = await this.source.next();
      if (next.done) throw badExport('it ends too early');
      parts.push(next.value);
      available += next.value.length;
    }
    const all = parts.length === 1 ? this.held : Buffer.concat(parts);
    this.held = all.subarray(length);
    return all.subarray(0, length);
  }

  async atEnd(): Promise<boolean> {
    while (this.held.length === 0) {
      const next = await this.source.next();
      if (next.done) return true;
      this.held = next.value;
    }
    return false;
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
