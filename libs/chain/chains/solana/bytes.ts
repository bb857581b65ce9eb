/**
 * Bytes of instructions and accounts: little-endian integers at an offset, tags compared in place. Invariant: nothing is
 * copied; the caller has checked that an integer's bytes are there.
 */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function startsWith(data: Uint8Array, at: number, bytes: Uint8Array): boolean {
  if (data.length < at + bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (data[at + i] !== bytes[i]) return false;
  return true;
}

export const u32At = (data: Uint8Array, at: number): number =>
  (data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24)) >>> 0;

/** Little-endian u64; most amounts are small enough to come together as exact doubles. */
export function wordAt(data: Uint8Array, at: number): bigint {
  const high = u32At(data, at + 4);
  const low = u32At(data, at);
  return high < 0x200000 ? BigInt(high * 4294967296 + low) : (BigInt(high) << 32n) | BigInt(low);
}
