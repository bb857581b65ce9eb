import { encodeBase58 } from '#libs/core/base58.js';
import { bytesOfHex, startsWith, wordAt } from './bytes.js';

/**
 * Fields of an account by their offsets from its first byte, little-endian. Invariant: a reader exists only for data that
 * starts with the account's discriminator and holds at least its size, so that no read inside it leaves the data; longer
 * data are read alike.
 */
export class AccountData {
  private readonly view: DataView;

  private constructor(readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  /** Null for another account or one that is too short. */
  static of(data: Uint8Array, discriminators: readonly Uint8Array[], size: number): AccountData | null {
    if (data.length < size || !discriminators.some((each) => startsWith(data, 0, each))) return null;
    return new AccountData(data);
  }

  u8(at: number): number {
    return this.view.getUint8(at);
  }

  u16(at: number): number {
    return this.view.getUint16(at, true);
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  i32(at: number): number {
    return this.view.getInt32(at, true);
  }

  u64(at: number): bigint {
    return wordAt(this.data, at);
  }

  i64(at: number): bigint {
    return this.view.getBigInt64(at, true);
  }

  u128(at: number): bigint {
    return wordAt(this.data, at) | (wordAt(this.data, at + 8) << 64n);
  }

  /** Base58 text of an address. */
  key(at: number): string {
    return encodeBase58(this.data.subarray(at, at + 32));
  }

  bytes(at: number, length: number): Uint8Array {
    return this.data.subarray(at, at + length);
  }
}

/**
 * A reader of one kind of account, which starts with one of these discriminators (hex) and has at least this size. It gives
 * null for any other account, and for one that `fields` refuses; it does not throw.
 */
export function accountReader<Fields>(
  discriminators: readonly string[],
  size: number,
  fields: (at: AccountData) => Fields | null,
): (data: Uint8Array) => Fields | null {
  const starts = discriminators.map(bytesOfHex);
  return (data) => {
    const at = AccountData.of(data, starts, size);
    return at === null ? null : fields(at);
  };
}

/** What a reader makes of an account. */
export type AccountOf<Reader extends (data: Uint8Array) => unknown> = Readonly<NonNullable<ReturnType<Reader>>>;
