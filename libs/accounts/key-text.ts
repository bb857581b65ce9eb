import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new key: random with 192 bits, so that one SHA-256 is enough to store it and to find it. */
export const newKey = (): string => `tp_${randomBytes(24).toString('base64url')}`;

export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/** Names a key without giving it away. */
export const keyIdOf = (hash: string): string => hash.slice(0, 16);

/** Whether two hashes of `hashKey` are one. It takes as long wherever they differ, and never sees a key. */
export const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));
