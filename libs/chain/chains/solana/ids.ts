import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { type Hex, type IdFormat, isHex } from '#libs/core/ids.js';
import { isOnCurve } from './curve-point.js';

/** Solana spelling: base58 of 32 bytes for addresses and block hashes, of 64 bytes for signatures. */
export const solanaIds: IdFormat = {
  family: 'solana',
  formatAddress: toBase58,
  parseAddress: (text) => fromBase58(text, 32),
  parsePool: (text) => fromBase58(text, 32),
  mayHaveKey: (id) => isOnCurve(Buffer.from(id, 'hex')),
  formatTx: toBase58,
  parseTx: (text) => fromBase58(text, 64),
  formatBlockHash: toBase58,
};

function toBase58(id: Hex): string {
  if (!isHex(id)) throw new RangeError('not an id');
  return encodeBase58(Buffer.from(id, 'hex'));
}

/** Texts longer than a value of that size can have are no ids, whatever they hold. */
function fromBase58(text: string, bytes: 32 | 64): Hex | null {
  if (text.length < bytes || text.length > (bytes === 32 ? 44 : 88)) return null;
  const decoded = decodeBase58(text);
  return decoded?.length === bytes ? Buffer.from(decoded.buffer).toString('hex') : null;
}
