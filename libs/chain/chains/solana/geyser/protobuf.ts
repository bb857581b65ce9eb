import { MalformedTransactionError } from '../malformed.js';

/**
 * The wire format of protocol buffers, as far as Geyser streams use it. The reader walks the fields of one message in
 * the order they come; what its caller does not take is skipped. Every length is checked against the message that holds
 * it: no bytes make it read past their end or loop, they end in MalformedTransactionError.
 */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

export class ProtobufReader {
  /** Number of the field that `next` came to. */
  field = 0;
  private wire = VARINT;
  private taken = true;

  constructor(
    private readonly buffer: Buffer,
    /** Named by errors. */
    private readonly what: string,
    private at = 0,
    private readonly end = buffer.length,
  ) {}

  /** Goes to the next field; false at the end of the message. */
  next(): boolean {
    if (!this.taken) this.skip();
    if (this.at === this.end) return false;
    const tag = this.readVarint();
    this.field = Math.floor(tag / 8);
    this.wire = tag % 8;
    if (this.field === 0 || tag > 0xffff_ffff) this.fail('a field without a number');
    this.taken = false;
    return true;
  }

  /** A whole number, rounded above 2^53 as JSON would have it. */
  number(): number {
    this.take(VARINT);
    return this.readVarint();
  }

  bigint(): bigint {
    this.take(VARINT);
    return this.readLong();
  }

  bool = (): boolean => this.number() !== 0;

  /** The bytes themselves, valid until the message is written to; to keep them, copy. */
  bytes(): Buffer {
    const from = this.pass();
    return this.buffer.subarray(from, this.at);
  }

  /** The bytes as characters of one byte each: a name for them that costs less than a view. */
  latin1(): string {
    const from = this.pass();
    return this.buffer.toString('latin1', from, this.at);
  }

  text(): string {
    const from = this.pass();
    return this.buffer.toString('utf8', from, this.at);
  }

  message(what: string): ProtobufReader {
    const from = this.pass();
    return new ProtobufReader(this.buffer, what, from, this.at);
  }

  /** Adds what this field holds to a list of whole numbers: one, or many in one piece. */
  numbers(into: number[]): void {
    if (this.wire === VARINT) {
      into.push(this.number());
      return;
    }
    const packed = this.message(this.what);
    while (packed.at < packed.end) into.push(packed.readVarint());
  }

  private skip(): void {
    if (this.wire === LENGTH) {
      this.pass();
      return;
    }
    this.taken = true;
    if (this.wire === VARINT) this.readVarint();
    else if (this.wire === FIXED64 || this.wire === FIXED32) {
      this.at += this.wire === FIXED64 ? 8 : 4;
      if (this.at > this.end) this.fail('a field that is longer than its message');
    } else this.fail(`a field of type ${this.wire}`);
  }

  /** Goes past a field of bytes; answers where they begin. */
  private pass(): number {
    this.take(LENGTH);
    const length = this.readVarint();
    const from = this.at;
    if (length > this.end - from) this.fail('a field that is longer than its message');
    this.at = from + length;
    return from;
  }

  private take(wire: number): void {
    if (this.taken || this.wire !== wire) this.fail(`field ${this.field} has another type`);
    this.taken = true;
  }

  private readVarint(): number {
    const from = this.at;
    let value = 0;
    // Seven bytes hold 49 bits, which a double keeps exactly.
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.readByte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    this.at = from;
    return Number(this.readLong());
  }

  private readLong(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.readByte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    return this.fail('a number of more than 64 bits');
  }

  private readByte(): number {
    if (this.at >= this.end) this.fail('it ends in the middle of a number');
    return this.buffer[this.at++] as number;
  }

  private fail(reason: string): never {
    throw new MalformedTransactionError(this.what, reason);
  }
}

/** A field that holds bytes or a message. */
export function lengthField(field: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(field * 8 + LENGTH), varint(content.length), content]);
}

export const numberField = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field * 8 + VARINT), varint(value)]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
