import { decodeBase58 } from '#libs/core/base58.js';

/** The 32 bytes of an address; for texts the program knows to be addresses. */
export function addressBytes(address: string): Uint8Array {
  const bytes = decodeBase58(address);
  if (bytes?.length !== 32) throw new RangeError(`${address} is not the base58 text of 32 bytes`);
  return bytes;
}
