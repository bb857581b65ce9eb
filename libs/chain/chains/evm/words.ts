import { GenerationCache } from '#libs/core/generation-cache.js';
import type { Hex } from '#libs/core/ids.js';
import { DIGIT, HexText } from './hex-text.js';

/**
 * Reads 32-byte ABI words straight out of hex digits, without an intermediate text. The caller has checked the length
 * (`hasWords`); a word that is not in canonical form for its type gives null, never a truncation.
 */
const TWO_256 = 1n << 256n;
const ZERO = 0x30;
/** Eight digits each, the lowest first. */
const limbs = new Uint32Array(8);
const wide = new BigUint64Array(limbs.buffer);

export const ZERO_ADDRESS: Hex = '0'.repeat(40);

/** True when the data holds exactly `count` words. */
export function hasWords(data: HexText, count: number): boolean {
  return data.digits === 64 * count;
}

export function uintWord({ bytes, start }: HexText, index: number): bigint {
  let at = start + 64 * index;
  const end = at + 64;
  while (at < end && bytes[at] === ZERO) at++;
  if (end - at <= 13) {
    let value = 0;
    for (; at < end; at++) value = value * 16 + DIGIT[bytes[at]!]!;
    return BigInt(value);
  }
  let count = 0;
  for (let stop = end; stop > at; stop -= 8) {
    let limb = 0;
    for (let k = Math.max(at, stop - 8); k < stop; k++) limb = (limb << 4) | DIGIT[bytes[k]!]!;
    limbs[count++] = limb;
  }
  if (count & 1) limbs[count] = 0;
  if (count <= 2) return wide[0]!;
  const low = (wide[1]! << 64n) | wide[0]!;
  return count <= 4 ? low : (count <= 6 ? wide[2]! << 128n : (wide[3]! << 192n) | (wide[2]! << 128n)) | low;
}

export function intWord(data: HexText, index: number): bigint {
  const value = uintWord(data, index);
  return DIGIT[data.bytes[data.start + 64 * index]!]! >= 8 ? value - TWO_256 : value;
}

/** int24 of a word, or null when it is not sign-extended. */
export function tickWord({ bytes, start }: HexText, index: number): number | null {
  const at = start + 64 * index;
  let low = 0;
  for (let k = at + 58; k < at + 64; k++) low = (low << 4) | DIGIT[bytes[k]!]!;
  const negative = low >= 0x800000;
  const sign = negative ? 15 : 0;
  for (let k = at; k < at + 58; k++) if (DIGIT[bytes[k]!] !== sign) return null;
  return negative ? low - 0x1000000 : low;
}

/** int24 of an indexed topic, or null when it is not sign-extended. */
export function tickTopic(topic: string): number | null {
  const word = HexText.read(topic);
  return word !== null && hasWords(word, 1) ? tickWord(word, 0) : null;
}

/** The low 20 bytes of a word. Upper bytes are ignored, as the EVM itself does. */
export function addressWord(data: HexText, index: number): Hex {
  return data.slice(64 * index + 24, 64 * index + 64).toLowerCase();
}

/**
 * Addresses come again and again. The same instance every time keeps its hash for the many maps that it goes through, and
 * leaves the answer that it was cut out of free to go.
 */
const CACHED = 50_000;
const ofTopic = new GenerationCache<string, Hex>(CACHED, (topic) => copied(topic.slice(26).toLowerCase()));
const ofWord = new GenerationCache<string, Hex>(CACHED, (topic) => copied(topic.slice(2).toLowerCase()));
const ofAddress = new GenerationCache<string, Hex>(CACHED, (prefixed) => copied(prefixed.slice(2).toLowerCase()));

/** A slice keeps the whole text that it was cut from alive; this one does not. */
function copied(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1');
}

/** A whole indexed word, an id of 32 bytes. */
export function wordTopic(topic: string): Hex {
  return ofWord.get(topic);
}

export function addressTopic(topic: string): Hex {
  return ofTopic.get(topic);
}

export function withoutPrefix(prefixed: string): Hex {
  return ofAddress.get(prefixed);
}

/** A 0x string as an id. */
export function idOf(prefixed: string): Hex {
  return prefixed.slice(2).toLowerCase();
}

export function encodeUint(value: bigint | number): string {
  return value.toString(16).padStart(64, '0');
}

export function encodeInt(value: bigint | number): string {
  const wide = BigInt(value);
  return (wide < 0n ? wide + TWO_256 : wide).toString(16).padStart(64, '0');
}

export function encodeAddress(id: Hex): string {
  return id.padStart(64, '0');
}
