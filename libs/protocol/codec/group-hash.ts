import { createHash } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';

/** Hash of an encoded group: the first 16 bytes of its SHA-256. The encoding is a bijection, so it names the group. */
export function groupHash(bytes: Uint8Array): Hex {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
