import { encodeBase58 } from '#libs/core/base58.js';
import type { KnownAccounts } from './accounts.js';
import { wordAt } from './bytes.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/** Token accounts and mints of either token program; null for whatever is none. */
const ACCOUNT_BYTES = 165;
const STATE_AT = 108;
const INITIALIZED = 1;
const MINT_BYTES = 82;
const MINT_INITIALIZED_AT = 45;
/** Where accounts of the later token program say what they are; extensions follow. */
const TYPE_AT = 165;
const TYPE_MINT = 1;
const TYPE_ACCOUNT = 2;

/** What a token account holds, if it is one of that mint and not frozen. */
export function vaultBalance(known: KnownAccounts, vault: string, mint: string): bigint | null {
  const data = ownedByTokens(known, vault);
  if (data === null || data.length < ACCOUNT_BYTES || data[STATE_AT] !== INITIALIZED) return null;
  if (data.length > ACCOUNT_BYTES && data[TYPE_AT] !== TYPE_ACCOUNT) return null;
  return encodeBase58(data.subarray(0, 32)) === mint ? wordAt(data, 64) : null;
}

/** Whether bytes of either token program are a token account's; else they are a mint's, or of something else. */
export const isTokenAccount = (data: Uint8Array): boolean =>
  data.length === ACCOUNT_BYTES || (data.length > ACCOUNT_BYTES && data[TYPE_AT] === TYPE_ACCOUNT);

export function mintSupply(known: KnownAccounts, mint: string): bigint | null {
  const data = ownedByTokens(known, mint);
  if (data === null || data.length < MINT_BYTES || data[MINT_INITIALIZED_AT] !== 1) return null;
  if (data.length > MINT_BYTES && data[TYPE_AT] !== TYPE_MINT) return null;
  return wordAt(data, 36);
}

/** Which of the two token programs a mint is of; null when it is no mint. */
export function tokenProgramOf(known: KnownAccounts, mint: string): string | null {
  return mintSupply(known, mint) === null ? null : known.get(mint)!.owner;
}

function ownedByTokens(known: KnownAccounts, address: string): Uint8Array | null {
  const account = known.get(address);
  if (account === undefined || account === null) return null;
  return account.owner === TOKEN_PROGRAM || account.owner === TOKEN_2022_PROGRAM ? account.data : null;
}
