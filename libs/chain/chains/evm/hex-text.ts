/**
 * The hex digits of a log's data (or of a call's answer) where they arrived: words are read straight from the bytes and
 * nothing is copied. Invariant: `digits` bytes from `start` on are hex digits, after a 0x that is not counted.
 */
export class HexText {
  constructor(
    public bytes: Uint8Array,
    public start: number,
    public digits: number,
  ) {}

  /** Other digits: one object can show many texts in turn. */
  point(bytes: Uint8Array, start: number, digits: number): void {
    this.bytes = bytes;
    this.start = start;
    this.digits = digits;
  }

  /** Of a 0x text; null when it is none. */
  static read(text: unknown): HexText | null {
    return typeof text === 'string' && HEX_TEXT.test(text)
      ? new HexText(Buffer.from(text, 'latin1'), 2, text.length - 2)
      : null;
  }

  equals(other: HexText): boolean {
    if (this.digits !== other.digits) return false;
    for (let k = 0; k < this.digits; k++) {
      if (this.bytes[this.start + k] !== other.bytes[other.start + k]) return false;
    }
    return true;
  }

  /** The digits from one place to another. */
  slice(from: number, to: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + this.start + from, to - from).toString('latin1');
  }
}

const HEX_TEXT = /^0x[0-9a-f]*$/i;

/** Value of a hex digit's character code; -1 for any other byte. */
export const DIGIT = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGIT[digit.charCodeAt(0)] = value;
  DIGIT[digit.toUpperCase().charCodeAt(0)] = value;
}
