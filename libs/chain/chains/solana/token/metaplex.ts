import { decodeBase58 } from '#libs/core/base58.js';
import type { SolanaAccount } from '../accounts.js';
import { deriveAddress } from '../derive.js';
import { ByteCursor } from './byte-cursor.js';
import type { TokenMetadata } from './token-metadata.js';

/** Metaplex token metadata: an account per mint at a derived address, written by its program alone. */
export const METAPLEX_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const PROGRAM_BYTES = decodeBase58(METAPLEX_PROGRAM)!;
const SEED = Buffer.from('metadata');
/** First byte of an account of metadata. */
const METADATA_KEY = 4;

/** Where a mint's metadata are; empty for a text that is no address. */
export function metaplexAddress(mint: string): string {
  const bytes = decodeBase58(mint);
  return bytes?.length === 32 ? deriveAddress(METAPLEX_PROGRAM, [SEED, PROGRAM_BYTES, bytes]) : '';
}

/** Null for every account that is no metadata. Metadata that cannot change any more have no authority. */
export function readMetaplex({ owner, data }: SolanaAccount): TokenMetadata | null {
  if (owner !== METAPLEX_PROGRAM) return null;
  const cursor = new ByteCursor(data);
  if (cursor.u8() !== METADATA_KEY) return null;
  const authority = cursor.authority();
  const mint = cursor.key();
  const { name, symbol, uri } = readMetaplexData(cursor);
  if (cursor.failed) return null;
  cursor.bool();
  const mutable = cursor.bool();
  return { mint, authority: mutable || cursor.failed ? authority : null, name, symbol, uri };
}

const CREATOR_BYTES = 34;

/** The program's own record of name, symbol, uri, seller fee and creators, in accounts and instructions alike. */
export function readMetaplexData(cursor: ByteCursor): Pick<TokenMetadata, 'name' | 'symbol' | 'uri'> {
  const name = cursor.text();
  const symbol = cursor.text();
  const uri = cursor.text();
  cursor.skip(2);
  cursor.option(() => cursor.skip(cursor.u32() * CREATOR_BYTES));
  return { name, symbol, uri };
}
