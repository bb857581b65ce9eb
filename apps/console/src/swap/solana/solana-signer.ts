import { ed25519 } from '@noble/curves/ed25519';
import { base58, hex } from '@scure/base';

/** Keys and signatures of the demo wallet on Solana. A separate chunk, loaded only when that wallet is made. */
const SIGNATURE_BYTES = 64;

export const newKey = (): string => hex.encode(ed25519.utils.randomPrivateKey());

export const addressOf = (key: string): string => base58.encode(ed25519.getPublicKey(key));

/** An unsigned v1 transaction of one signer, base64: its last bytes are the place of the signature. Answers the signed one. */
export function sign(key: string, unsigned: string): string {
  const bytes = Uint8Array.from(atob(unsigned), (character) => character.charCodeAt(0));
  const end = bytes.length - SIGNATURE_BYTES;
  bytes.set(ed25519.sign(bytes.subarray(0, end), key), end);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

export const walletOf = (key: string) => ({
  address: addressOf(key),
  sign: (unsigned: string) => sign(key, unsigned),
});
