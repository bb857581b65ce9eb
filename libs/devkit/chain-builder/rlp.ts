import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';

/**
 * Recursive length prefix encoding over hex strings without prefix: concatenating strings and converting once is the
 * cheapest way to build headers and receipts here. Lists take items that are encoded already.
 */
export function rlpBytes(hex: string): string {
  const length = hex.length / 2;
  if (length === 1 && Number.parseInt(hex, 16) < 0x80) return hex;
  return prefix(length, 0x80) + hex;
}

export function rlpList(items: readonly string[]): string {
  const body = items.join('');
  return prefix(body.length / 2, 0xc0) + body;
}

/** A quantity: big-endian without leading zeros, zero is the empty string. */
export function rlpQuantity(value: bigint | number): string {
  if (value === 0 || value === 0n) return '80';
  const hex = value.toString(16);
  return rlpBytes(hex.length % 2 === 0 ? hex : `0${hex}`);
}

function prefix(length: number, base: number): string {
  if (length < 56) return (base + length).toString(16).padStart(2, '0');
  const hex = length.toString(16);
  const size = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (base + 55 + size.length / 2).toString(16) + size;
}

/** keccak-256 of hex bytes, as hex, both without prefix. */
export function keccakHex(hex: string): string {
  return keccak256Hex(Buffer.from(hex, 'hex'));
}

export function keccakText(text: string): string {
  return keccak256Hex(Buffer.from(text, 'utf8'));
}
