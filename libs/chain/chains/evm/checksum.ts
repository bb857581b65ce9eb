import type { Hex } from '#libs/core/ids.js';
import { keccak256Hex } from './keccak.js';

/**
 * The checksum that the case of an address's letters carries (EIP-55). One case alone carries none. Where money goes to an
 * address, a wrong one is a typing error and refused; addresses that are only read about are taken in any case.
 */
export function hasWrongChecksum(address: string): boolean {
  const digits = address.slice(2);
  const id = digits.toLowerCase();
  return digits !== id && digits !== digits.toUpperCase() && digits !== checksummed(id);
}

/** Letters are capitals where the same digit of the hash is 8 or more. */
export function checksummed(id: Hex): string {
  const hash = keccak256Hex(Buffer.from(id, 'latin1'));
  return id.replace(/[a-f]/g, (letter, at: number) => (hash[at]! >= '8' ? letter.toUpperCase() : letter));
}

/** What is said of an address that has a wrong one. */
export const WRONG_CHECKSUM =
  'has letters of both cases that are not the checksum of the address (EIP-55): a digit or a letter is wrong';
