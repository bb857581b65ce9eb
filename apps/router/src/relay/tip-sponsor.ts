import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { TidepoolError } from '#libs/core/errors.js';

/** DER head of an ed25519 private key; its 32 bytes follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_UNIT_LIMIT = 2;
const TRANSFER = 2;
const LEAST_UNITS = 1_000;

/** Signs the transfers that pay tips, a different one each time. The relay signs nothing else. */
export class TipSponsor {
  readonly address: string;
  private readonly key: KeyObject;
  private count = 0;

  /** `secret` is what the private key is made of, 32 bytes. */
  constructor(secret: Uint8Array) {
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secret]), format: 'der', type: 'pkcs8' });
    this.address = encodeBase58(createPublicKey(this.key).export({ format: 'der', type: 'spki' }).subarray(-32));
  }

  /** A legacy transaction, which every version of a validator takes. Two of one blockhash differ in their limit of units. */
  transfer(to: string, lamports: number, blockhash: string): Uint8Array {
    const limit = Buffer.alloc(5);
    limit[0] = SET_UNIT_LIMIT;
    limit.writeUInt32LE(LEAST_UNITS + (this.count++ % 100_000), 1);
    const transfer = Buffer.alloc(12);
    transfer.writeUInt32LE(TRANSFER, 0);
    transfer.writeBigUInt64LE(BigInt(lamports), 4);
    const keys = [this.address, to, SYSTEM_PROGRAM, COMPUTE_BUDGET].map((key) => decodeBase58(key)!);
    const message = Buffer.concat([
      ...[Uint8Array.of(1, 0, 2, keys.length), ...keys, decodeBase58(blockhash)!],
      ...[Uint8Array.of(2, 3, 0, limit.length), limit],
      ...[Uint8Array.of(2, 2, 0, 1, transfer.length), transfer],
    ]);
    return Buffer.concat([Uint8Array.of(1), sign(null, message, this.key), message]);
  }
}

/** Reads a key file of the Solana command line: a JSON list of the 32 secret bytes and the 32 public ones. */
export function readKeyFile(path: string, variable: string): Uint8Array {
  const wrong = (why: string): TidepoolError => new TidepoolError('config', `${variable}: ${why}`);
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw wrong('the file cannot be read as JSON');
  }
  const isByte = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
  if (!Array.isArray(list) || list.length !== 64 || !list.every(isByte))
    throw wrong('the file holds no list of 64 bytes');
  const bytes = Uint8Array.from(list as number[]);
  const secret = bytes.subarray(0, 32);
  if (new TipSponsor(secret).address !== encodeBase58(bytes.subarray(32))) {
    throw wrong('the two halves of the key do not belong together');
  }
  return secret;
}
