import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import type { JsonObject } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';

/** How transactions are written in bodies of the Solana hosts. */
export type TransactionEncoding = 'base58' | 'base64';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** A v1 transaction in base58, and some room. */
const LONGEST = 5_800;

export function encodingOf(body: JsonObject): TransactionEncoding {
  const { encoding = null } = body;
  if (encoding === null || encoding === 'base58') return 'base58';
  if (encoding === 'base64') return 'base64';
  throw badRequest('encoding must be base58 or base64');
}

/** Decodes a text; throws a 400 that names the field when the text has another encoding. */
export function bytesOfText(text: string, encoding: TransactionEncoding, field: string): Uint8Array {
  if (text.length > LONGEST) throw badRequest(`${field} is longer than a transaction can be`);
  if (encoding === 'base64') {
    if (text !== '' && BASE64.test(text)) return Buffer.from(text, 'base64');
  } else {
    const bytes = text === '' ? null : decodeBase58(text);
    if (bytes !== null) return bytes;
  }
  throw badRequest(`${field} is not ${encoding}`);
}

export const textOfBytes = (bytes: Uint8Array, encoding: TransactionEncoding): string =>
  encoding === 'base64' ? Buffer.from(bytes).toString('base64') : encodeBase58(bytes);
