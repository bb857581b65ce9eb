import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { encodeBase58 } from '#libs/core/base58.js';
import { addressBytes } from './address-bytes.js';

/** A key whose lamports requestAirdrop gives away, by ordinary signed transfers. The same seed gives the same key. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** DER head of an ed25519 private key; its 32 bytes follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export class Faucet {
  readonly address: string;
  private readonly key: KeyObject;
  private count = 0;

  constructor(seed: number) {
    const secret = createHash('sha256').update(`local solana faucet ${seed}`).digest();
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secret]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    this.address = encodeBase58(spki.subarray(-32));
  }

  /** A signed legacy transfer. Two of the same amount differ in their compute limit, so that both can land. */
  transfer(to: string, lamports: bigint, blockhash: string): Uint8Array {
    this.count++;
    const limit = Buffer.alloc(5);
    limit[0] = 2;
    limit.writeUInt32LE(10_000 + (this.count % 1_000_000), 1);
    const transfer = Buffer.alloc(12);
    transfer[0] = 2;
    transfer.writeBigUInt64LE(lamports, 4);
    const toSelf = to === this.address;
    const keys = [this.address, ...(toSelf ? [] : [to]), SYSTEM_PROGRAM, COMPUTE_BUDGET].map(addressBytes);
    const system = keys.length - 2;
    const message = Buffer.concat([
      Uint8Array.of(1, 0, 2, keys.length),
      ...keys,
      addressBytes(blockhash),
      Uint8Array.of(2, system + 1, 0, limit.length),
      limit,
      Uint8Array.of(system, 2, 0, toSelf ? 0 : 1, transfer.length),
      transfer,
    ]);
    return Buffer.concat([Uint8Array.of(1), sign(null, message, this.key), message]);
  }
}
