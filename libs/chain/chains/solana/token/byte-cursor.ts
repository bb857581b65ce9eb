import type { Hex } from '#libs/core/ids.js';
import { cleanText } from '../../clean-text.js';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** Longer texts are no names, symbols or addresses of documents that anybody shows. */
const MAX_TEXT_BYTES = 1024;

/**
 * Reads Borsh fields one after the other. Invariant: never throws and never leaves the bytes: once they end inside a field,
 * `failed` stays true and whatever is read after is empty.
 */
export class ByteCursor {
  failed = false;

  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  u8(): number {
    return this.take(1)?.[0] ?? 0;
  }

  bool(): boolean {
    return this.u8() !== 0;
  }

  u32(): number {
    const taken = this.take(4);
    return taken === null ? 0 : (taken[0]! | (taken[1]! << 8) | (taken[2]! << 16) | (taken[3]! << 24)) >>> 0;
  }

  /** Null for 32 zero bytes, which mean none wherever an authority is optional. */
  authority(): Hex | null {
    const taken = this.take(32);
    return taken === null || taken.every((byte) => byte === 0) ? null : hexOf(taken);
  }

  key(): Hex {
    const taken = this.take(32);
    return taken === null ? '' : hexOf(taken);
  }

  /** Without its padding of zeros; null when it is empty or absurdly long. What is no UTF-8 becomes replacement characters. */
  text(): string | null {
    const taken = this.take(this.u32());
    return taken === null ? null : utf8Text(taken);
  }

  skip(bytes: number): void {
    this.take(bytes);
  }

  /** Reads an optional value behind its flag; undefined where there is none. */
  option<T>(read: () => T): T | undefined {
    return this.bool() ? read() : undefined;
  }

  private take(bytes: number): Uint8Array | null {
    if (this.failed || this.at + bytes > this.bytes.length) {
      this.failed = true;
      return null;
    }
    this.at += bytes;
    return this.bytes.subarray(this.at - bytes, this.at);
  }
}

export const hexOf = (bytes: Uint8Array): Hex =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

/** Without the zeros at its end; null where it is empty or longer than what anybody shows. */
export function utf8Text(bytes: Uint8Array): string | null {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  if (end === 0 || end > MAX_TEXT_BYTES) return null;
  return cleanText(utf8.decode(bytes.subarray(0, end))) || null;
}
