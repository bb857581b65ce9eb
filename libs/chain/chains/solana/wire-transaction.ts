import { encodeBase58 } from '#libs/core/base58.js';

/**
 * Transactions on the wire: legacy, v0 and v1. Reading is strict, because the virtual machine ends the whole process on
 * bytes it cannot read: whatever this reader accepts is canonical, whole and without bytes left over.
 */
export interface WireTransaction {
  readonly wire: Uint8Array;
  readonly version: 'legacy' | 0 | 1;
  readonly signatures: readonly Uint8Array[];
  /** Base58 of the first signature: the id of the transaction. */
  readonly signature: string;
  readonly message: Uint8Array;
  readonly header: { required: number; readonlySigned: number; readonlyUnsigned: number };
  readonly keys: readonly string[];
  readonly blockhash: string;
  /** Where the blockhash is in `wire`. */
  readonly blockhashAt: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly WireLookup[];
  readonly config: WireConfig | null;
}

interface WireInstruction {
  programIndex: number;
  accounts: Uint8Array;
  data: Uint8Array;
}

interface WireLookup {
  table: string;
  writable: Uint8Array;
  readonly: Uint8Array;
}

/** Limits of a v1 transaction; what is absent counts as zero on chain. */
interface WireConfig {
  mask: number;
  priorityFee?: bigint;
  computeUnitLimit?: number;
  loadedAccountsDataSizeLimit?: number;
  heapSize?: number;
}

export const MAX_WIRE_BYTES = 1232;
const MAX_V1_BYTES = 4096;

export class WireError extends Error {}

class Reader {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.take(1)[0] as number;
  }

  u16(): number {
    const [low, high] = this.take(2) as unknown as [number, number];
    return low | (high << 8);
  }

  u32(): number {
    return this.u16() + this.u16() * 0x10000;
  }

  u64(): bigint {
    const low = this.u32();
    return BigInt(low) + (BigInt(this.u32()) << 32n);
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new WireError('io error: unexpected end of file');
    const part = this.bytes.subarray(this.at, this.at + count);
    this.at += count;
    return part;
  }

  /** A compact-u16, in its one canonical form. */
  short(): number {
    let value = 0;
    for (let i = 0; i < 3; i++) {
      const byte = this.u8();
      value |= (byte & 127) << (7 * i);
      if (byte > 127) continue;
      if ((byte === 0 && i > 0) || value > 0xffff) break;
      return value;
    }
    throw new WireError('short u16: non-canonical encoding');
  }
}

/** Throws WireError for bytes that are no transaction. */
export function readTransaction(wire: Uint8Array): WireTransaction {
  const v1 = wire[0] === 0x81;
  const limit = v1 ? MAX_V1_BYTES : MAX_WIRE_BYTES;
  if (wire.length > limit) throw new WireError(`decoded too large: ${wire.length} bytes (max: ${limit} bytes)`);
  const reader = new Reader(wire);
  const transaction = v1 ? readV1(reader, wire) : readOlder(reader, wire);
  if (reader.left > 0) throw new WireError(`${reader.left} bytes are left over after the transaction`);
  sanitize(transaction);
  return transaction;
}

/** A message alone, as getFeeForMessage takes it: read as a transaction whose signatures are zero. */
export function readMessage(message: Uint8Array): WireTransaction {
  if (message[0] === 0x81) {
    const required = message[1] ?? 0;
    return readTransaction(Buffer.concat([message, new Uint8Array(64 * required)]));
  }
  const required = (message[0] ?? 0) >= 128 ? (message[1] ?? 0) : (message[0] ?? 0);
  if (required > 127) throw new WireError('a message that needs more than 127 signatures');
  return readTransaction(Buffer.concat([Uint8Array.of(required), new Uint8Array(64 * required), message]));
}

function readOlder(reader: Reader, wire: Uint8Array): WireTransaction {
  const signatures = Array.from({ length: reader.short() }, () => reader.take(64));
  const start = reader.at;
  let version: 'legacy' | 0 = 'legacy';
  let required = reader.u8();
  if (required >= 128) {
    if (required !== 128) throw new WireError(`message version ${required & 127} is not known`);
    version = 0;
    required = reader.u8();
  }
  const header = { required, readonlySigned: reader.u8(), readonlyUnsigned: reader.u8() };
  const keys = Array.from({ length: reader.short() }, () => encodeBase58(reader.take(32)));
  const blockhashAt = reader.at;
  const blockhash = encodeBase58(reader.take(32));
  const instructions = Array.from({ length: reader.short() }, () => {
    const programIndex = reader.u8();
    const accounts = reader.take(reader.short());
    return { programIndex, accounts, data: reader.take(reader.short()) };
  });
  const count = version === 0 ? reader.short() : 0;
  const lookups = Array.from({ length: count }, () => {
    const table = encodeBase58(reader.take(32));
    const writable = reader.take(reader.short());
    return { table, writable, readonly: reader.take(reader.short()) };
  });
  const message = wire.subarray(start, reader.at);
  const signature = encodeBase58(signatures[0] ?? new Uint8Array(64));
  const parts = { signatures, signature, message, header, keys, blockhash, blockhashAt, instructions, lookups };
  return { wire, version, config: null, ...parts };
}

function readV1(reader: Reader, wire: Uint8Array): WireTransaction {
  reader.u8();
  const header = { required: reader.u8(), readonlySigned: reader.u8(), readonlyUnsigned: reader.u8() };
  const mask = reader.u32();
  if (mask > 0x1f) throw new WireError('the configuration mask has an unknown bit');
  if ((mask & 3) === 1 || (mask & 3) === 2) throw new WireError('the priority fee needs both of its mask bits');
  const blockhashAt = reader.at;
  const blockhash = encodeBase58(reader.take(32));
  const instructionCount = reader.u8();
  const keyCount = reader.u8();
  if (instructionCount > 64 || keyCount > 64) throw new WireError('more than 64 instructions or accounts');
  const keys = Array.from({ length: keyCount }, () => encodeBase58(reader.take(32)));
  const config: WireConfig = { mask };
  if (mask & 3) config.priorityFee = reader.u64();
  if (mask & 4) config.computeUnitLimit = reader.u32();
  if (mask & 8) config.loadedAccountsDataSizeLimit = reader.u32();
  if (mask & 16) config.heapSize = reader.u32();
  const heads = Array.from({ length: instructionCount }, () => ({
    programIndex: reader.u8(),
    accounts: reader.u8(),
    data: reader.u16(),
  }));
  const instructions = heads.map(({ programIndex, accounts, data }) => ({
    programIndex,
    accounts: reader.take(accounts),
    data: reader.take(data),
  }));
  const message = wire.subarray(0, reader.at);
  if (header.required < 1 || header.required > 12) throw new WireError('a v1 transaction has 1 to 12 signatures');
  const signatures = Array.from({ length: header.required }, () => reader.take(64));
  const signature = encodeBase58(signatures[0] as Uint8Array);
  const parts = { signatures, signature, message, header, keys, blockhash, blockhashAt, instructions, config };
  return { wire, version: 1, lookups: [], ...parts };
}

/** The checks a validator makes before it looks at any account. */
function sanitize({ header, keys, signatures, instructions, lookups, version }: WireTransaction): void {
  const fail = (): never => {
    throw new WireError('Transaction failed to sanitize accounts offsets correctly');
  };
  if (header.required < 1 || header.readonlySigned >= header.required) fail();
  if (signatures.length !== header.required || keys.length > 256) fail();
  if (header.required + header.readonlyUnsigned > keys.length) fail();
  if (version === 1 && new Set(keys).size !== keys.length) fail();
  let total = keys.length;
  for (const { writable, readonly } of lookups) {
    if (writable.length + readonly.length === 0) fail();
    total += writable.length + readonly.length;
  }
  if (total > 256) fail();
  for (const { programIndex, accounts } of instructions) {
    if (programIndex === 0 || programIndex >= keys.length) fail();
    for (const index of accounts) if (index >= total) fail();
  }
}

export function isSigner({ header }: WireTransaction, index: number): boolean {
  return index < header.required;
}

/** Whether a static key is asked for as writable. */
export function isWritable({ header, keys }: WireTransaction, index: number): boolean {
  if (index < header.required) return index < header.required - header.readonlySigned;
  return index < keys.length - header.readonlyUnsigned;
}

/** The same transaction with another recent blockhash; its signatures no longer fit. */
export function withBlockhash(transaction: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const wire = Uint8Array.from(transaction.wire);
  wire.set(blockhash, transaction.blockhashAt);
  return readTransaction(wire);
}
