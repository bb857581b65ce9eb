import { createPrivateKey, sign } from 'node:crypto';
import { decodeBase58 } from '#libs/core/base58.js';
import type { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';

const SIGNATURE_BYTES = 64;
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A create for Solana, signed by all its signers in their order, as a wallet does it: with the keys that are known, and those that came along. */
export function signedCreate({ transactions, signers }: LaunchCreated, known: readonly SeededKey[]): Buffer {
  const bytes = Buffer.from(transactions[0] as string, 'base64');
  const unsigned = bytes.subarray(-signers.length * SIGNATURE_BYTES);
  if (unsigned.some((byte) => byte !== 0)) throw new Error('the create has signatures');
  const message = bytes.subarray(0, -signers.length * SIGNATURE_BYTES);
  const signatures = signers.map(({ address, secretKey }) => {
    if (secretKey === null) return known.find((key) => key.address === address)!.sign(message);
    const der = Buffer.concat([PKCS8_HEAD, decodeBase58(secretKey)!.subarray(0, 32)]);
    return sign(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  });
  return Buffer.concat([message, ...signatures]);
}
