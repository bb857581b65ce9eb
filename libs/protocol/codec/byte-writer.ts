import { TidepoolError } from '#libs/core/errors.js';
import { putHex } from '#libs/core/hex-bytes.js';

/**
 * Append-only little-endian byte buffer: varints, fixed fields and length-prefixed amounts.
 *
 * Invariant: every value has exactly one encoding, so equal groups give equal bytes. What cannot be represented exactly
 * (a fraction, a number beyond 2^53, a negative unsigned amount) throws and is never rounded or clipped.
 */
export class ByteWriter {
  protected bytes: Buffer;
  protected view: DataView;
  protected position = 0;

  constructor(initialCapacity = 1024) {
    this.bytes = Buffer.allocUnsafeSlow(initialCapacity);
    this.view = viewOf(this.bytes);
  }

  get length(): number {
    return this.position;
  }

  /** Forgets the content; a buffer that one huge group blew up is given back. */
  reset(): void {
    this.position = 0;
    if (this.bytes.length > MAX_IDLE_CAPACITY) {
      this.bytes = Buffer.allocUnsafeSlow(1024);
      this.view = viewOf(this.bytes);
    }
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.position);
  }

  u8(value: number): void {
    if ((value & 0xff) !== value) unencodable(`byte ${value}`);
    this.reserve(1);
    this.bytes[this.position++] = value;
  }

  u32(value: number): void {
    if (value >>> 0 !== value) unencodable(`32-bit number ${value}`);
    this.reserve(4);
    this.view.setUint32(this.position, value, true);
    this.position += 4;
  }

  /** A safe integer in eight bytes, two's complement. */
  i64(value: number): void {
    if (!Number.isSafeInteger(value)) unencodable(`integer ${value}`);
    this.reserve(8);
    this.view.setBigInt64(this.position, BigInt(value), true);
    this.position += 8;
  }

  f64(value: number): void {
    if (!Number.isFinite(value) || Object.is(value, -0)) unencodable(`number ${value}`);
    this.reserve(8);
    this.view.setFloat64(this.position, value, true);
    this.position += 8;
  }

  /** LEB128 of a safe integer from 0 on. */
  varuint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) unencodable(`unsigned integer ${value}`);
    this.reserve(8);
    const bytes = this.bytes;
    let rest = value;
    while (rest > 0x7fffffff) {
      bytes[this.position++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      bytes[this.position++] = (rest & 127) | 0x80;
      rest >>>= 7;
    }
    bytes[this.position++] = rest;
  }

  /** Zigzag varint; absolute values below 2^52. */
  varint(value: number): void {
    this.varuint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  /**
   * Sign-and-length byte, then the magnitude's significant bytes, lowest first. Zero has no bytes.
   */
  signed(value: bigint): void {
    const negative = value < 0n;
    this.magnitude(negative ? -value : value, negative ? NEGATIVE : 0);
  }

  unsigned(value: bigint): void {
    if (value < 0n) unencodable(`negative amount ${value}`);
    this.magnitude(value, 0);
  }

  unsignedOrNull(value: bigint | null): void {
    if (value === null) this.u8(NULL_AMOUNT);
    else this.unsigned(value);
  }

  /** Like unsignedOrNull, with one byte for a value equal to the one before it in the column. */
  unsignedOrRepeat(value: bigint | null, previous: bigint | null | undefined): void {
    if (value === previous) this.u8(REPEATED_AMOUNT);
    else this.unsignedOrNull(value);
  }

  /** Length-prefixed UTF-8. A string that is not well-formed Unicode would not come back and is refused. */
  text(value: string): void {
    if (!value.isWellFormed()) unencodable('text with a lone surrogate');
    const length = Buffer.byteLength(value);
    if (length > MAX_TEXT_BYTES) unencodable(`text of ${length} bytes`);
    this.varuint(length);
    this.reserve(length);
    this.position += this.bytes.write(value, this.position, 'utf8');
  }

  /** A part with its name before it, and its length between the two. */
  part(name: string, write: () => void): void {
    this.u8(name.length);
    this.reserve(name.length);
    this.position += this.bytes.write(name, this.position, 'latin1');
    const start = this.position;
    write();
    const length = this.position - start;
    this.varuint(length);
    const size = this.position - start - length;
    this.bytes.copyWithin(start + size, start, start + length);
    this.position = start;
    this.varuint(length);
    this.position = start + size + length;
  }

  raw(data: Uint8Array): void {
    this.reserve(data.length);
    this.bytes.set(data, this.position);
    this.position += data.length;
  }

  /** The bytes of a lower-case hex string, without a length. */
  hex(value: string): void {
    const length = value.length >>> 1;
    this.reserve(length);
    if (!putHex(this.bytes, this.position, value)) unencodable(`id ${JSON.stringify(value.slice(0, 80))}`);
    this.position += length;
  }

  private magnitude(value: bigint, sign: number): void {
    this.reserve(MAX_AMOUNT_BYTES + 9);
    const view = this.view;
    const tagAt = this.position;
    let at = tagAt + 1;
    let rest = value;
    while (rest > MAX_LIMB) {
      if (at - tagAt > MAX_AMOUNT_BYTES - 8) unencodable(`amount above ${MAX_AMOUNT_BYTES} bytes`);
      view.setBigUint64(at, rest & MAX_LIMB, true);
      rest >>= 64n;
      at += 8;
    }
    view.setBigUint64(at, rest, true);
    const high = view.getUint32(at + 4, true);
    const significantBits = high !== 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(view.getUint32(at, true));
    at += (significantBits + 7) >> 3;
    this.bytes[tagAt] = sign | (at - tagAt - 1);
    this.position = at;
  }

  private reserve(more: number): void {
    const needed = this.position + more;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.position);
    this.bytes = grown;
    this.view = viewOf(grown);
  }
}

/** Largest magnitude of an amount: 512 bits hold any product of two 256-bit words. */
export const MAX_AMOUNT_BYTES = 64;
export const MAX_TEXT_BYTES = 65_535;
export const NEGATIVE = 0x80;
export const NULL_AMOUNT = 0x7f;
export const REPEATED_AMOUNT = 0x7e;

const MAX_LIMB = (1n << 64n) - 1n;
const MAX_IDLE_CAPACITY = 16 << 20;
function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The caller built a group that the protocol does not allow: a defect in a stage, never bad input. */
export function unencodable(what: string): never {
  throw new TidepoolError('unencodable', `cannot encode ${what}`);
}
