import { generateKeyPairSync } from 'node:crypto';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';

/** A mint's address, and its key where it is a new one. */
export interface MintKey {
  readonly id: Hex;
  /** Base58 of 64 bytes, as wallets take it. */
  readonly secretKey: string | null;
}

/**
 * A key that signs once: the creation of its mint. It is handed to the caller and kept nowhere; afterwards nothing can be
 * done with it.
 */
export function newMintKey(): MintKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  const [secret, id] = [d!, x!].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
  return { id: id.toString('hex'), secretKey: encodeBase58(Buffer.concat([secret, id])) };
}
