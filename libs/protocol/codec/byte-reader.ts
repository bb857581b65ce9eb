import { isUtf8 } from 'node:buffer';
import { UndecodableError } from '#libs/core/errors.js';
import { MAX_AMOUNT_BYTES, MAX_TEXT_BYTES, NEGATIVE, NULL_AMOUNT, REPEATED_AMOUNT } from './byte-writer.js';

/**
 * Strict counterpart of ByteWriter.
 *
 * Invariant: accepts exactly the bytes that ByteWriter produces. Every read is checked against the end, every
 * non-minimal varint or amount is refused, and a count is believed only when the bytes that follow can hold it, so no
 * input makes the reader allocate more than a small multiple of its own length. The only error is UndecodableError.
 */
export class ByteReader {
  protected readonly bytes: Buffer;
  protected readonly view: DataView;
  protected end: number;
  protected position = 0;

  constructor(
    bytes: Uint8Array,
    protected readonly what: string,
  ) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  fail(reason: string): never {
    throw new UndecodableError(this.what, `${reason} at byte ${this.position}`);
  }

  expectEnd(): void {
    if (this.position !== this.end) this.fail(`${this.remaining} trailing bytes`);
  }

  /** Reads a part of that many bytes: nothing in it reaches beyond them, and none is left over. */
  within<T>(length: number, read: () => T): T {
    if (length > this.remaining) this.fail('truncated');
    const { end } = this;
    this.end = this.position + length;
    const value = read();
    this.expectEnd();
    this.end = end;
    return value;
  }

  skip(length: number): void {
    this.take(length);
  }

  u8(): number {
    if (this.position >= this.end) this.fail('truncated');
    return this.bytes[this.position++]!;
  }

  flag(): boolean {
    const value = this.u8();
    if (value > 1) this.fail(`flag ${value}`);
    return value === 1;
  }

  u32(): number {
    const at = this.take(4);
    return this.view.getUint32(at, true);
  }

  i64(): number {
    const value = Number(this.view.getBigInt64(this.take(8), true));
    if (!Number.isSafeInteger(value)) this.fail('integer beyond 2^53');
    return value;
  }

  f64(): number {
    const value = this.view.getFloat64(this.take(8), true);
    if (!Number.isFinite(value) || Object.is(value, -0)) this.fail('number not finite');
    return value;
  }

  varuint(): number {
    const bytes = this.bytes;
    let byte = this.u8();
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      if (this.position >= this.end) this.fail('truncated');
      byte = bytes[this.position++]!;
      value += (byte & 127) * scale;
      scale *= 128;
      if (value > Number.MAX_SAFE_INTEGER) this.fail('varint beyond 2^53');
    } while (byte >= 128);
    if (byte === 0) this.fail('padded varint');
    return value;
  }

  varint(): number {
    const value = this.varuint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A number of items that take at least `minBytes` each. */
  count(minBytes: number): number {
    const count = this.varuint();
    if (count * minBytes > this.remaining) this.fail(`count ${count} with ${this.remaining} bytes left`);
    return count;
  }

  signed(): bigint {
    const tag = this.u8();
    const magnitude = this.magnitude(tag & 0x7f);
    if ((tag & NEGATIVE) === 0) return magnitude;
    if (magnitude === 0n) this.fail('negative zero');
    return -magnitude;
  }

  unsigned(): bigint {
    return this.magnitude(this.u8());
  }

  unsignedOrNull(): bigint | null {
    const tag = this.u8();
    return tag === NULL_AMOUNT ? null : this.magnitude(tag);
  }

  unsignedOrRepeat(previous: bigint | null | undefined): bigint | null {
    const tag = this.u8();
    if (tag === REPEATED_AMOUNT) {
      if (previous === undefined) this.fail('nothing to repeat');
      return previous;
    }
    const value = tag === NULL_AMOUNT ? null : this.magnitude(tag);
    if (value === previous) this.fail('repeated amount spelled out');
    return value;
  }

  text(): string {
    return this.encodedText().toString('utf8');
  }

  /** A text as its bytes, which were looked at as far as to know that they are one. */
  protected encodedText(): Buffer {
    const length = this.varuint();
    if (length > MAX_TEXT_BYTES) this.fail(`text of ${length} bytes`);
    const at = this.take(length);
    const bytes = this.bytes.subarray(at, at + length);
    if (!isUtf8(bytes)) this.fail('text is not UTF-8');
    return bytes;
  }

  /** A name of one byte a character, after its length in one byte. */
  name(): string {
    const length = this.u8();
    const at = this.take(length);
    return this.bytes.toString('latin1', at, at + length);
  }

  /** `length` bytes as lower-case hex; a string of its own, so that it keeps no larger one alive. */
  hex(length: number): string {
    if (length === 0) return '';
    const at = this.take(length);
    return this.bytes.toString('hex', at, at + length);
  }

  raw(length: number): Uint8Array {
    const at = this.take(length);
    return this.bytes.subarray(at, at + length);
  }

  protected take(length: number): number {
    const at = this.position;
    if (length > this.end - at) this.fail('truncated');
    this.position = at + length;
    return at;
  }

  private magnitude(length: number): bigint {
    if (length === 0) return 0n;
    if (length > MAX_AMOUNT_BYTES) this.fail(`amount of ${length} bytes`);
    const bytes = this.bytes;
    const start = this.take(length);
    if (bytes[start + length - 1] === 0) this.fail('padded amount');
    if (length <= 6) {
      let small = bytes[start + length - 1]!;
      for (let i = start + length - 2; i >= start; i--) small = small * 256 + bytes[i]!;
      return BigInt(small);
    }
    const partial = length & 7;
    let at = start + length - (partial === 0 ? 8 : partial);
    let value = partial === 0 ? this.view.getBigUint64(at, true) : partialLimb(bytes, at, partial);
    while (at > start) {
      at -= 8;
      value = (value << 64n) | this.view.getBigUint64(at, true);
    }
    return value;
  }
}

/** One to seven bytes, lowest first. */
function partialLimb(bytes: Buffer, at: number, length: number): bigint {
  limbBytes.fill(0, length);
  for (let i = 0; i < length; i++) limbBytes[i] = bytes[at + i]!;
  return limb.getBigUint64(0, true);
}

const limbBytes = new Uint8Array(8);
const limb = new DataView(limbBytes.buffer);
