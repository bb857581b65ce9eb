import type { Hex } from '#libs/core/ids.js';
import { GenerationCache } from './generation-cache.js';

/**
 * Reads 32-byte ABI words straight out of a 0x-prefixed hex string, without an intermediate buffer. The caller has
 * checked the length (`hasWords`); a word that is not in canonical form for its type gives null, never a truncation.
 */
const ZERO_TICK = '0'.repeat(58);
const ONES_TICK = 'f'.repeat(58);
const ZERO_52 = '0'.repeat(52);
const TWO_256 = 1n << 256n;

export const ZERO_ADDRESS: Hex = '0'.repeat(40);

/** True when `data` holds exactly `count` words. */
export function hasWords(data: string, count: number): boolean {
  return data.length === 2 + 64 * count;
}

export function uintWord(data: string, index: number): bigint {
  const start = 2 + 64 * index;
  // Below 2^48 a number is enough: an order of magnitude cheaper than parsing 64 digits.
  if (data.startsWith(ZERO_52, start)) return BigInt(Number.parseInt(data.slice(start + 52, start + 64), 16));
  return BigInt(`0x${data.slice(start, start + 64)}`);
}

export function intWord(data: string, index: number): bigint {
  const value = uintWord(data, index);
  return data.charCodeAt(2 + 64 * index) >= 56 ? value - TWO_256 : value; // first digit 8 … f: negative
}

/** int24 of a word (`offset` counts digits, so that topics can be read too), or null when not sign-extended. */
export function tickAt(text: string, offset: number): number | null {
  const low = Number.parseInt(text.slice(offset + 58, offset + 64), 16);
  if (low < 0x800000) return text.startsWith(ZERO_TICK, offset) ? low : null;
  return text.startsWith(ONES_TICK, offset) ? low - 0x1000000 : null;
}

export function tickWord(data: string, index: number): number | null {
  return tickAt(data, 2 + 64 * index);
}

/** The low 20 bytes of a word. Upper bytes are ignored, as the EVM itself does. */
export function addressWord(data: string, index: number): Hex {
  const start = 2 + 64 * index;
  return data.slice(start + 24, start + 64).toLowerCase();
}

/**
 * Addresses come again and again. The same instance every time keeps its hash for the many maps that it goes through, and
 * leaves the answer that it was cut out of free to go.
 */
const CACHED = 50_000;
const ofTopic = new GenerationCache<string, Hex>(CACHED, (topic) => copied(topic.slice(26).toLowerCase()));
const ofAddress = new GenerationCache<string, Hex>(CACHED, (prefixed) => copied(prefixed.slice(2).toLowerCase()));

/** A slice keeps the whole text that it was cut from alive; this one does not. */
function copied(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1');
}

export function addressTopic(topic: string): Hex {
  return ofTopic.get(topic);
}

export function addressOf(prefixed: string): Hex {
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
