import { putHex } from '#libs/core/hex-bytes.js';

const MOST_KNOWN_TEXTS = 64;
const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_INT256 = 2n ** 255n - 1n;
const MIN_INT256 = -(2n ** 255n);

/**
 * Rows in ClickHouse's RowBinary form in one growing buffer. Integers are little-endian; a String is a varint length and
 * its bytes; a Nullable is one byte (1: null) before the value. A value that its column cannot hold is an error.
 */
export class RowBuffer {
  private bytes: Buffer;
  private view: DataView;
  private at = 0;
  /** Texts that come again and again, such as names of venues, in UTF-8. */
  private readonly texts = new Map<string, Uint8Array>();

  constructor(capacity = 1 << 16) {
    this.bytes = Buffer.allocUnsafe(capacity);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }

  /** The rows written so far; the buffer must not be written to any more. */
  take(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  uint8(value: number): void {
    this.reserve(1);
    if (!(value >= 0 && value <= 0xff)) throw outOfRange('UInt8', value);
    this.bytes[this.at++] = value;
  }

  bool(value: boolean): void {
    this.reserve(1);
    this.bytes[this.at++] = value ? 1 : 0;
  }

  uint32(value: number): void {
    this.reserve(4);
    if (!(value >= 0 && value <= 0xffff_ffff)) throw outOfRange('UInt32', value);
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  int32(value: number): void {
    this.reserve(4);
    if (!(value >= -0x8000_0000 && value <= 0x7fff_ffff)) throw outOfRange('Int32', value);
    this.view.setInt32(this.at, value, true);
    this.at += 4;
  }

  /** A whole number as Int64, or as UInt64 where it is not negative. */
  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw outOfRange('Int64', value);
    this.reserve(8);
    this.view.setUint32(this.at, value >>> 0, true);
    this.view.setInt32(this.at + 4, Math.floor(value / 0x1_0000_0000), true);
    this.at += 8;
  }

  uint64(value: number): void {
    if (value < 0) throw outOfRange('UInt64', value);
    this.int64(value);
  }

  uint256(value: bigint): void {
    if (value < 0n || value > MAX_UINT256) throw outOfRange('UInt256', value);
    this.wide(value, 4);
  }

  int256(value: bigint): void {
    if (value > MAX_INT256 || value < MIN_INT256) throw outOfRange('Int256', value);
    this.wide(value, 4);
  }

  /** Decimal(38, S) of a value scaled by 10^S. */
  decimal128(scaled: bigint): void {
    this.wide(scaled, 2);
  }

  /** Decimal(76, S) of a value scaled by 10^S. */
  decimal256(scaled: bigint): void {
    this.wide(scaled, 4);
  }

  /** Bytes of an id given in hex, as a String. */
  hex(digits: string): void {
    const size = digits.length >>> 1;
    if (size > 127) throw outOfRange('id', digits);
    this.reserve(size + 1);
    this.bytes[this.at] = size;
    if (!putHex(this.bytes, this.at + 1, digits)) throw outOfRange('id', digits);
    this.at += size + 1;
  }

  /** An id that is stored in `source` as a length byte and its bytes, the same way a String begins here. */
  placedId(source: Uint8Array, place: number): void {
    const size = source[place]! + 1;
    if (size > 128) throw outOfRange('id', `${size - 1} bytes`);
    this.reserve(size);
    const { bytes, at } = this;
    for (let k = 0; k < size; k++) bytes[at + k] = source[place + k]!;
    this.at = at + size;
  }

  /** An amount that is stored in `source` as a length byte and its bytes, lowest first, in a column of `width` bytes. */
  placedAmount(source: Uint8Array, place: number, width: 16 | 32): void {
    const size = source[place]!;
    if (size > width) throw outOfRange(`amount of ${width} bytes`, size);
    this.reserve(width);
    const { bytes, view, at } = this;
    // Zeros first, eight at a time, then the bytes over them.
    for (let k = size & ~7; k < width; k += 8) view.setFloat64(at + k, 0, true);
    for (let k = 0; k < size; k++) bytes[at + k] = source[place + 1 + k]!;
    this.at = at + width;
  }

  /** An amount as above whose length byte may have the sign in its highest bit, in an Int256. */
  placedSigned(source: Uint8Array, place: number): void {
    const tag = source[place]!;
    if (tag < 32) {
      this.placedAmount(source, place, 32);
      return;
    }
    const size = tag & 0x7f;
    const top = size === 32 ? source[place + 32]! : 0;
    if (size > 32 || top > 0x80 || (top === 0x80 && !isLowest(source, place))) {
      throw outOfRange('Int256', `amount of ${size} bytes`);
    }
    this.reserve(32);
    const { bytes, view, at } = this;
    for (let k = size & ~7; k < 32; k += 8) view.setFloat64(at + k, 0, true);
    for (let k = 0; k < size; k++) bytes[at + k] = source[place + 1 + k]!;
    if (tag > 0x7f) negate(bytes, at);
    this.at = at + 32;
  }

  /** A text that is stored in `source` as a String is here: its length as a varint, and its bytes in UTF-8. */
  placedText(source: Uint8Array, place: number): void {
    let start = place;
    let size = source[start++]!;
    for (let scale = 128; source[start - 1]! > 0x7f; scale *= 128) size += (source[start++]! - 1) * scale;
    this.varint(size);
    this.reserve(size);
    this.bytes.set(source.subarray(start, start + size), this.at);
    this.at += size;
  }

  /** `seq`, `block` and `time` as another row has them: 24 bytes. */
  place(place: Uint8Array): void {
    this.reserve(24);
    this.bytes.set(place, this.at);
    this.at += 24;
  }

  text(value: string): void {
    let bytes = this.texts.get(value);
    if (bytes === undefined) {
      bytes = Buffer.from(value, 'utf8');
      if (this.texts.size < MOST_KNOWN_TEXTS) this.texts.set(value, bytes);
    }
    this.varint(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Length of an array, before its elements. */
  length(count: number): void {
    this.varint(count);
  }

  null(): void {
    this.uint8(1);
  }

  notNull(): void {
    this.uint8(0);
  }

  private varint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.at++] = rest;
  }

  /** Two's complement in 64-bit words. `setBigUint64` keeps the low word of any bigint, so only large values shift. */
  private wide(value: bigint, words: number): void {
    this.reserve(words * 8);
    const { view } = this;
    let rest = value;
    let at = this.at;
    const end = at + words * 8;
    view.setBigUint64(at, rest, true);
    at += 8;
    while (at < end) {
      rest >>= 64n;
      if (rest === 0n) {
        this.bytes.fill(0, at, end);
        break;
      }
      view.setBigUint64(at, rest, true);
      at += 8;
    }
    this.at = end;
  }

  private reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
    this.view = new DataView(grown.buffer, grown.byteOffset, grown.length);
  }
}

/** -2^255, the one number of 256 bits with the highest bit set that an Int256 holds. */
function isLowest(source: Uint8Array, place: number): boolean {
  if (source[place] !== (32 | 0x80)) return false;
  for (let k = 1; k < 32; k++) if (source[place + k] !== 0) return false;
  return true;
}

/** Two's complement of 32 bytes, lowest first. */
function negate(bytes: Uint8Array, at: number): void {
  let carry = 1;
  for (let k = at; k < at + 32; k++) {
    const byte = (bytes[k]! ^ 0xff) + carry;
    bytes[k] = byte & 0xff;
    carry = byte >> 8;
  }
}

function outOfRange(type: string, value: number | bigint | string): RangeError {
  return new RangeError(`not a ${type}: ${String(value).slice(0, 100)}`);
}
