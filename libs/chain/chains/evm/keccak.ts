import { createKeccak } from 'hash-wasm';
import type { Hex } from '#libs/core/ids.js';

/** One hasher for the whole process: every hash begins and ends within a call, so none sees a part of another. */
const hasher = await createKeccak(256);

/** keccak-256, 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}

/** keccak-256 as 64 hex digits without prefix. */
export function keccak256Hex(bytes: Uint8Array): Hex {
  return hasher.init().update(bytes).digest('hex');
}
