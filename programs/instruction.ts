import { createHash } from 'node:crypto';
import { isOnCurve } from '#libs/chain/chains/solana/curve-point.js';
import { decodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';

/**
 * Instructions with ids in hex, and addresses that programs derive. Neutral between the libraries that build transactions.
 */
export interface AccountUse {
  readonly id: Hex;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface Instruction {
  readonly program: Hex;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

export const idOf = (base58: string): Hex => {
  const bytes = decodeBase58(base58);
  if (bytes?.length !== 32) throw new RangeError(`no Solana address: ${base58}`);
  return Buffer.from(bytes).toString('hex');
};

export const TOKEN_PROGRAM_ID = idOf('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const SYSTEM_PROGRAM: Hex = '0'.repeat(64);
export const WRAPPED_MINT = idOf('So11111111111111111111111111111111111111112');
export const UPGRADEABLE_LOADER = idOf('BPFLoaderUpgradeab1e11111111111111111111111');
export const RENT_SYSVAR = idOf('SysvarRent111111111111111111111111111111111');
export const CLOCK_SYSVAR = idOf('SysvarC1ock11111111111111111111111111111111');

export const reads = (id: Hex): AccountUse => ({ id, signer: false, writable: false });
export const writes = (id: Hex): AccountUse => ({ id, signer: false, writable: true });
export const signs = (id: Hex, writable = false): AccountUse => ({ id, signer: true, writable });

export const bufferOf = (id: Hex): Buffer => Buffer.from(id, 'hex');

/** Bytes of instruction data, little-endian as the programs read it. */
export const u8 = (value: number): Buffer => Buffer.from([value]);
export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
export const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

interface Derived {
  id: Hex;
  bump: number;
}

/** The address a program derives from seeds, with the highest bump that is off the curve. */
export function derive(program: Hex, ...seeds: readonly Uint8Array[]): Derived {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const bytes = hash.update(u8(bump)).update(bufferOf(program)).update('ProgramDerivedAddress').digest();
    if (!isOnCurve(bytes)) return { id: bytes.toString('hex'), bump };
  }
  throw new RangeError('no address can be derived from these seeds');
}

/** Reads fields of an account's data or of an event. */
export class Fields {
  private readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  tag = (): string => (this.bytes.length < 8 ? '' : this.bytes.toString('latin1', 0, 8));
  id = (at: number): Hex => this.bytes.toString('hex', at, at + 32);
  u8 = (at: number): number => this.bytes.readUInt8(at);
  u16 = (at: number): number => this.bytes.readUInt16LE(at);
  u64 = (at: number): bigint => this.bytes.readBigUInt64LE(at);
  text = (at: number, length: number): string => this.bytes.toString('utf8', at, at + length);
}
