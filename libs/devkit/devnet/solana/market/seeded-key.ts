import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';

/** DER head of an ed25519 private key; its 32 bytes follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An ed25519 key made of a text: the same text gives the same key. For local chains alone, where nothing is worth anything. */
export class SeededKey {
  readonly id: Hex;
  /** Base58. */
  readonly address: string;
  /** 32 bytes: what the private key is made of. */
  readonly secret: Uint8Array;
  private readonly key: KeyObject;

  constructor(text: string) {
    const secret = createHash('sha256').update(text).digest();
    this.secret = secret;
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secret]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    this.id = spki.subarray(-32).toString('hex');
    this.address = encodeBase58(spki.subarray(-32));
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.key);
  }
}
