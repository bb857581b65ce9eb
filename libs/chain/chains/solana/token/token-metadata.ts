import type { Hex } from '#libs/core/ids.js';
import { startsWith } from '../bytes.js';
import { ByteCursor } from './byte-cursor.js';

/** What a token says about itself, wherever it says it. Texts are null where they are empty or absurd. */
export interface TokenMetadata {
  readonly mint: Hex;
  /** Who may change it; null: no address. */
  readonly authority: Hex | null;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly uri: string | null;
}

/** What names a token and says where its document is. */
export type TokenTexts = Pick<TokenMetadata, 'name' | 'symbol' | 'uri'>;

/** Head of an entry of the token-metadata interface in an account of any program: sha256 of its name, first 8 bytes. */
const INTERFACE_ENTRY = Uint8Array.of(112, 132, 90, 90, 11, 88, 157, 87);
const LENGTH_BYTES = 4;

/** The value of Token-2022's metadata extension, and of an entry of the token-metadata interface. */
export function readTokenMetadata(value: Uint8Array): TokenMetadata | null {
  const cursor = new ByteCursor(value);
  const authority = cursor.authority();
  const mint = cursor.key();
  const name = cursor.text();
  const symbol = cursor.text();
  const uri = cursor.text();
  return cursor.failed ? null : { mint, authority, name, symbol, uri };
}

/** The metadata that an account of another program holds by the token-metadata interface; null when it holds none. */
export function readInterfaceMetadata(data: Uint8Array): TokenMetadata | null {
  let at = 0;
  while (at + INTERFACE_ENTRY.length + LENGTH_BYTES <= data.length) {
    const start = at + INTERFACE_ENTRY.length + LENGTH_BYTES;
    const length = new ByteCursor(data, at + INTERFACE_ENTRY.length).u32();
    if (start + length > data.length) return null;
    if (startsWith(data, at, INTERFACE_ENTRY)) return readTokenMetadata(data.subarray(start, start + length));
    at = start + length;
  }
  return null;
}
