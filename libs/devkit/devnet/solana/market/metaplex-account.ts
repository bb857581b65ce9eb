import type { Hex } from '#libs/core/ids.js';
import { bufferOf, derive, idOf, u8, u16, u32 } from '#programs/client.js';

/**
 * Accounts of the metadata program, as it lays them out: readers find a token's name at the address that follows from its
 * mint. The program itself does not run on the local chain.
 */
export const METADATA_PROGRAM = idOf('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');

export interface TokenTexts {
  name: string;
  symbol: string;
  uri: string;
}

const BYTES = 679;
const METADATA_V1 = 4;
/** Texts are filled up with zeros to these lengths. */
const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;
const URI_BYTES = 200;
const FUNGIBLE = 2;
const NONE = u8(0);
const YES = u8(1);

const seeds = (mint: Hex): Uint8Array[] => [Buffer.from('metadata'), bufferOf(METADATA_PROGRAM), bufferOf(mint)];

export const metadataId = (mint: Hex): Hex => derive(METADATA_PROGRAM, ...seeds(mint)).id;
const editionBump = (mint: Hex): number => derive(METADATA_PROGRAM, ...seeds(mint), Buffer.from('edition')).bump;

/** The account of a fungible token; its update authority is `authority`. */
export function metadataBytes(mint: Hex, authority: Hex, { name, symbol, uri }: TokenTexts): Uint8Array {
  const written = Buffer.concat([
    u8(METADATA_V1),
    bufferOf(authority),
    bufferOf(mint),
    filled(name, NAME_BYTES),
    filled(symbol, SYMBOL_BYTES),
    filled(uri, URI_BYTES),
    u16(0),
    // No creators, no primary sale, mutable.
    ...[NONE, NONE, YES],
    // Where an edition would be, and the token's standard.
    ...[YES, u8(editionBump(mint)), YES, u8(FUNGIBLE)],
    // Collection, uses, collection's details, configuration.
    ...[NONE, NONE, NONE, NONE],
  ]);
  const bytes = Buffer.alloc(BYTES);
  bytes.set(written);
  return bytes;
}

function filled(text: string, length: number): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > length) throw new RangeError(`"${text}" has more than ${length} bytes`);
  return Buffer.concat([u32(length), bytes, Buffer.alloc(length - bytes.length)]);
}
