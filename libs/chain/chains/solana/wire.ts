import { encodeBase58 } from '#libs/core/base58.js';
import { MalformedTransactionError } from './malformed.js';

/** What a serialized transaction holds of the message; loaded addresses are in the answer's meta. */
export interface SolanaWireTransaction {
  signatures: string[];
  keys: string[];
  signerCount: number;
  instructions: { program: number; accounts: number[]; data: Uint8Array }[];
}

const SIGNATURE = 64;
const KEY = 32;
const V1 = 0x81;

/** Reads a transaction's bytes: legacy, version 0 and version 1. Throws MalformedTransactionError. */
export function readWire(bytes: Uint8Array, path: string): SolanaWireTransaction {
  const cursor = new Cursor(bytes, path);
  return bytes[0] === V1 ? readV1(cursor) : readSigned(cursor);
}

function readSigned(cursor: Cursor): SolanaWireTransaction {
  const signatures = cursor.list(() => encodeBase58(cursor.take(SIGNATURE)));
  const first = cursor.u8();
  if (first >= 0x80 && first !== 0x80) cursor.fail(`message version ${first & 0x7f} is not known`);
  const signerCount = first === 0x80 ? cursor.u8() : first;
  cursor.take(2);
  const keys = cursor.list(() => encodeBase58(cursor.take(KEY)));
  cursor.take(KEY);
  const instructions = cursor.list(() => ({
    program: cursor.u8(),
    accounts: [...cursor.take(cursor.compact())],
    data: cursor.take(cursor.compact()),
  }));
  return { signatures, keys, signerCount, instructions };
}

/** Fixed header, keys, configuration values, instruction headers, their bodies, then the signatures up to the end. */
function readV1(cursor: Cursor): SolanaWireTransaction {
  cursor.take(1);
  const signerCount = cursor.u8();
  cursor.take(2);
  const mask = cursor.u8() | (cursor.u8() << 8) | (cursor.u8() << 16) | (cursor.u8() << 24);
  cursor.take(KEY);
  const instructionCount = cursor.u8();
  const keyCount = cursor.u8();
  const keys = Array.from({ length: keyCount }, () => encodeBase58(cursor.take(KEY)));
  for (let bits = mask >>> 0; bits !== 0; bits >>>= 1) if (bits & 1) cursor.take(4);
  const headers = Array.from({ length: instructionCount }, () => ({
    program: cursor.u8(),
    accounts: cursor.u8(),
    data: cursor.u8() | (cursor.u8() << 8),
  }));
  const instructions = headers.map(({ program, accounts, data }) => ({
    program,
    accounts: [...cursor.take(accounts)],
    data: cursor.take(data),
  }));
  const signatures = Array.from({ length: signerCount }, () => encodeBase58(cursor.take(SIGNATURE)));
  return { signatures, keys, signerCount, instructions };
}

class Cursor {
  private at = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly path: string,
  ) {}

  fail(reason: string): never {
    throw new MalformedTransactionError(this.path, reason);
  }

  u8(): number {
    if (this.at >= this.bytes.length) this.fail('the transaction ends early');
    return this.bytes[this.at++]!;
  }

  take(count: number): Uint8Array {
    if (this.at + count > this.bytes.length) this.fail('the transaction ends early');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** Solana's compact length: seven bits a byte, at most three bytes and 65535. */
  compact(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (value > 0xffff) this.fail('a length above 65535');
    return value;
  }

  list<T>(read: () => T): T[] {
    const length = this.compact();
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(read());
    return items;
  }
}
