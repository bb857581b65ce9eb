import { hash, randomBytes } from 'node:crypto';

/** A new key: random with 192 bits, so that one SHA-256 is enough to store it and to find it. */
export const newApiKey = (): string => `tp_${randomBytes(24).toString('base64url')}`;

export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/** Names a key without giving it away. */
export const keyIdOf = (hash: string): string => hash.slice(0, 16);

/** Whether two hashes of `hashKey` are one. Every digit is looked at, wherever they differ; it never sees a key. */
export function sameHash(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let different = 0;
  for (let at = 0; at < one.length; at++) different |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return different === 0;
}
