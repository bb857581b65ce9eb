import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';

/** keccak-256 of hex bytes, as hex, both without prefix. */
export function keccakHex(hex: string): string {
  return keccak256Hex(Buffer.from(hex, 'hex'));
}

export function keccakText(text: string): string {
  return keccak256Hex(Buffer.from(text, 'utf8'));
}
