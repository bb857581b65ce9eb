import type { SequencedRecord } from '../log.js';

/**
 * How a group is stored in a Kafka partition: one record per chunk, key null, value
 * [magic u16][version u8][reserved u8][seq u64][writer token 8 B][i u32][n u32][bytes].
 * Only a complete run of chunks i = 0…n−1 with the same seq, token and n is a group (rule 4): i = 0 discards what was
 * unfinished, a chunk that does not continue the run discards it too.
 */
export const CHUNK_LIMIT = 512 * 1024;
const MAGIC = 0x5450;
const VERSION = 1;
const HEADER = 28;
const TOKEN = 12;

export interface Chunk {
  seq: number;
  index: number;
  count: number;
  bytes: Buffer;
  /** The record's whole value, with the writer token in it. */
  frame: Buffer;
}

export function encodeChunks(seq: number, token: Buffer, value: Uint8Array, limit = CHUNK_LIMIT): Buffer[] {
  const count = Math.max(1, Math.ceil(value.length / limit));
  return Array.from({ length: count }, (_, index) =>
    encodeChunk(seq, token, index, count, value.subarray(index * limit, (index + 1) * limit)),
  );
}

function encodeChunk(seq: number, token: Buffer, index: number, count: number, part: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER + part.length);
  bytes.writeUInt16BE(MAGIC, 0);
  bytes.writeUInt8(VERSION, 2);
  bytes.writeUInt8(0, 3);
  bytes.writeUInt32BE(Math.floor(seq / 0x1_0000_0000), 4);
  bytes.writeUInt32BE(seq >>> 0, 8);
  token.copy(bytes, TOKEN, 0, 8);
  bytes.writeUInt32BE(index, 20);
  bytes.writeUInt32BE(count, 24);
  bytes.set(part, HEADER);
  return bytes;
}

/** Null for a record that is not a chunk, such as one of a keyed topic. */
export function decodeChunk(key: Buffer | null, value: Buffer | null): Chunk | null {
  if (key !== null || value === null || value.length < HEADER) return null;
  if (value.readUInt16BE(0) !== MAGIC || value.readUInt8(2) !== VERSION) return null;
  const index = value.readUInt32BE(20);
  const count = value.readUInt32BE(24);
  if (index >= count) return null;
  return {
    seq: value.readUInt32BE(4) * 0x1_0000_0000 + value.readUInt32BE(8),
    index,
    count,
    bytes: value.subarray(HEADER),
    frame: value,
  };
}

const sameToken = (a: Buffer, b: Buffer): boolean => a.compare(b, TOKEN, TOKEN + 8, TOKEN, TOKEN + 8) === 0;

/** Joins the chunks of one partition, fed in offset order. */
export class GroupAssembler {
  private first: Chunk | null = null;
  private parts: Buffer[] = [];

  /** The group that this chunk completes, or null. */
  push(chunk: Chunk): SequencedRecord | null {
    if (chunk.index === 0) {
      this.first = chunk;
      this.parts = [];
    } else if (!this.continues(chunk)) {
      this.reset();
      return null;
    }
    this.parts.push(chunk.bytes);
    if (this.parts.length < chunk.count) return null;
    const value = this.parts.length === 1 ? chunk.bytes : Buffer.concat(this.parts);
    this.reset();
    return { seq: chunk.seq, value };
  }

  reset(): void {
    this.first = null;
    this.parts = [];
  }

  private continues(chunk: Chunk): boolean {
    const { first } = this;
    return (
      first !== null &&
      first.seq === chunk.seq &&
      sameToken(first.frame, chunk.frame) &&
      first.count === chunk.count &&
      this.parts.length === chunk.index
    );
  }
}
