import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';

/** State that this program cannot read: another version, cut short or damaged. The log gives it again. */
export class BadStateError extends TidepoolError {
  constructor(reason: string) {
    super('bad_state', `state of the fold: ${reason}`);
  }
}

/** Grows by doubling. One value has one encoding, so equal states give equal bytes. */
export class StateWriter {
  private buffer = Buffer.allocUnsafe(1 << 16);
  private length = 0;

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  /** Any integer that a double holds exactly and is not negative. */
  uint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.length++] = rest;
  }

  int(value: number): void {
    this.uint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  /** Sign and length in one varint, then the magnitude. */
  bigint(value: bigint): void {
    if (value === 0n) {
      this.byte(0);
      return;
    }
    const negative = value < 0n;
    let hex = (negative ? -value : value).toString(16);
    if (hex.length % 2 === 1) hex = `0${hex}`;
    this.uint(hex.length + (negative ? 1 : 0));
    this.raw(hex);
  }

  hex(id: Hex): void {
    this.uint(id.length / 2);
    this.raw(id);
  }

  text(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.uint(bytes.length);
    this.reserve(bytes.length);
    bytes.copy(this.buffer, this.length);
    this.length += bytes.length;
  }

  optional<T>(value: T | null, write: (value: T) => void): void {
    this.byte(value === null ? 0 : 1);
    if (value !== null) write(value);
  }

  /** What was written since the last reset; valid until the next. */
  written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  reset(): void {
    this.length = 0;
  }

  private raw(hex: string): void {
    this.reserve(hex.length / 2);
    this.length += this.buffer.write(hex, this.length, 'hex');
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

export class StateReader {
  private at = 0;

  constructor(private readonly buffer: Buffer) {}

  byte(): number {
    const value = this.buffer[this.at++];
    if (value === undefined) throw new BadStateError('cut short');
    return value;
  }

  uint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
      if (scale > 2 ** 56) throw new BadStateError('number too long');
    }
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bigint(): bigint {
    const head = this.uint();
    if (head === 0) return 0n;
    const magnitude = BigInt(`0x${this.raw(Math.floor(head / 2))}`);
    return head % 2 === 1 ? -magnitude : magnitude;
  }

  hex(): Hex {
    return this.raw(this.uint());
  }

  text(): string {
    const length = this.uint();
    const from = this.take(length);
    return this.buffer.toString('utf8', from, from + length);
  }

  optional<T>(read: () => T): T | null {
    return this.byte() === 0 ? null : read();
  }

  list<T>(read: () => T): T[] {
    const count = this.uint();
    if (count > this.buffer.length - this.at) throw new BadStateError('cut short');
    return Array.from({ length: count }, read);
  }

  get atEnd(): boolean {
    return this.at === this.buffer.length;
  }

  end(): void {
    if (!this.atEnd) throw new BadStateError('trailing bytes');
  }

  private raw(bytes: number): string {
    const from = this.take(bytes);
    return this.buffer.toString('hex', from, from + bytes);
  }

  private take(bytes: number): number {
    const from = this.at;
    if (from + bytes > this.buffer.length) throw new BadStateError('cut short');
    this.at += bytes;
    return from;
  }
}
