import { createPublicKey, verify } from 'node:crypto';
import { readTransaction, WireError, type WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { decodeBase58 } from '#libs/core/base58.js';
import type { JsonObject } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { bytesOfText, encodingOf } from '../hosts/solana-texts.js';

export const MOST_OF_A_BUNDLE = 5;

/** DER head of an ed25519 public key; its 32 bytes follow. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** The transactions of a bundle, each whole and signed by all who have to; a 400 names the first that is not. */
export function readBundle(body: JsonObject): readonly WireTransaction[] {
  const { transactions: list } = body;
  const encoding = encodingOf(body);
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_OF_A_BUNDLE) {
    throw badRequest(`transactions must be a list of 1 to ${MOST_OF_A_BUNDLE} signed transactions`);
  }
  const found = list.map((text, index) => {
    const field = `transactions[${index}]`;
    if (typeof text !== 'string') throw badRequest(`${field} must be text`);
    return signed(bytesOfText(text, encoding, field), field);
  });
  found.forEach(({ signature }, index) => {
    const first = found.findIndex((other) => other.signature === signature);
    if (first < index) throw badRequest(`transactions[${index}] is the same as transactions[${first}]`);
  });
  return found;
}

function signed(bytes: Uint8Array, field: string): WireTransaction {
  let transaction: WireTransaction;
  try {
    transaction = readTransaction(bytes);
  } catch (error) {
    if (error instanceof WireError) throw badRequest(`${field} is no transaction: ${error.message}`);
    throw error;
  }
  const { message, keys, signatures } = transaction;
  signatures.forEach((signature, index) => {
    const signer = keys[index]!;
    const isEmpty = signature.every((byte) => byte === 0);
    if (!isEmpty && isSignedBy(signer, message, signature)) return;
    throw badRequest(`${field} ${isEmpty ? 'is not signed' : 'has a signature that is not valid'} by ${signer}`);
  });
  return transaction;
}

function isSignedBy(signer: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = Buffer.concat([SPKI_HEAD, decodeBase58(signer)!]);
  try {
    return verify(null, message, createPublicKey({ key, format: 'der', type: 'spki' }), signature);
  } catch {
    // Bytes that are no point of the curve: there is no key to them.
    return false;
  }
}
