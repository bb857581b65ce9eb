import { createHash } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { AuthorityRole } from '#libs/protocol/blocks.js';
import { startsWith } from '../bytes.js';
import { solanaIds } from '../ids.js';
import type { SolanaInstruction } from '../instruction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import type { SolanaTransaction } from '../transaction.js';
import { ByteCursor } from './byte-cursor.js';
import { METAPLEX_PROGRAM, readMetaplexData } from './metaplex.js';

/**
 * What an instruction changed about a token. Only what it states is there. An update of Metaplex metadata names their
 * account and not the mint: that account tells.
 */
export interface TokenChange {
  /** Base58; empty where only the metadata's account is named. */
  readonly mint: string;
  readonly metadataAccount: string;
  readonly authority?: { readonly role: AuthorityRole; readonly to: Hex | null };
  readonly uri?: string | null;
  readonly transferFeeBps?: number;
}

const SET_AUTHORITY = 6;
/** Bytes of it without and with a new authority. */
const SET_AUTHORITY_BYTES: readonly [number, number] = [3, 35];
/** Bytes of transfers, the plain and the checked one: they are most of what the token programs are called for. */
const TRANSFER_BYTES: readonly [number, number] = [9, 10];
const ROLES: readonly (AuthorityRole | undefined)[] = ['mint', 'freeze'];
const TRANSFER_FEE_EXTENSION = 26;
const SET_TRANSFER_FEE = 5;

const interfaceTag = (name: string): Uint8Array =>
  createHash('sha256').update(`spl_token_metadata_interface:${name}`).digest().subarray(0, 8);
const INITIALIZE = interfaceTag('initialize_account');
const UPDATE_FIELD = interfaceTag('updating_field');
const UPDATE_AUTHORITY = interfaceTag('update_the_authority');
const URI_FIELD = 2;

const METAPLEX_UPDATE_V2 = 15;
const METAPLEX_CREATE_V3 = 33;
const METAPLEX_CREATE = 42;
const METAPLEX_UPDATE = 50;
/** Arguments of METAPLEX_UPDATE that an update authority gives: V1 and AsUpdateAuthorityV2. */
const BY_AUTHORITY: ReadonlySet<number> = new Set([0, 1]);

const NONE: readonly TokenChange[] = [];

/** Changes of tokens by a transaction's instructions, in execution order; a failed one has none. Never throws. */
export function tokenChanges(tx: SolanaTransaction): readonly TokenChange[] {
  if (tx.failed) return NONE;
  let changes = NONE;
  for (const instruction of tx.instructions) {
    const { program } = instruction;
    let found = NONE;
    if (program === TOKEN_PROGRAM) {
      if (isOneOf(instruction, SET_AUTHORITY_BYTES)) found = setAuthority(tx, instruction);
    } else if (program === TOKEN_2022_PROGRAM) {
      if (!isOneOf(instruction, TRANSFER_BYTES)) found = token2022(tx, instruction);
    }
    if (program === METAPLEX_PROGRAM) found = metaplex(tx, instruction);
    if (found.length > 0) changes = [...changes, ...found];
  }
  return changes;
}

/** Recognised by the length of the text, before anything is decoded. */
const isOneOf = (instruction: SolanaInstruction, [a, b]: readonly [number, number]): boolean =>
  instruction.mayBe(a) || instruction.mayBe(b);

function setAuthority(tx: SolanaTransaction, instruction: SolanaInstruction): readonly TokenChange[] {
  const { data } = instruction;
  const role = data[0] === SET_AUTHORITY ? ROLES[data[1] ?? -1] : undefined;
  if (role === undefined) return NONE;
  const cursor = new ByteCursor(data, 2);
  const to = cursor.option(() => cursor.key()) ?? null;
  return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 0), authority: { role, to } }];
}

function token2022(tx: SolanaTransaction, instruction: SolanaInstruction): readonly TokenChange[] {
  const { data } = instruction;
  if (data[0] === SET_AUTHORITY) return setAuthority(tx, instruction);
  if (data[0] === TRANSFER_FEE_EXTENSION && data[1] === SET_TRANSFER_FEE && data.length >= 4) {
    return [{ ...ofMint(tx, instruction, 0), transferFeeBps: data[2]! | (data[3]! << 8) }];
  }
  const cursor = new ByteCursor(data, 8);
  if (startsWith(data, 0, UPDATE_AUTHORITY)) {
    const to = cursor.authority();
    return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 0), authority: { role: 'metadata', to } }];
  }
  if (startsWith(data, 0, UPDATE_FIELD)) {
    if (cursor.u8() !== URI_FIELD) return NONE;
    const uri = cursor.text();
    return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 0), uri }];
  }
  if (!startsWith(data, 0, INITIALIZE)) return NONE;
  cursor.text();
  cursor.text();
  const uri = cursor.text();
  const to = solanaIds.parseAddress(tx.accountKey(instruction, 1));
  return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 2), uri, authority: { role: 'metadata', to } }];
}

function metaplex(tx: SolanaTransaction, instruction: SolanaInstruction): readonly TokenChange[] {
  const cursor = new ByteCursor(instruction.data);
  const tag = cursor.u8();
  const key = (nth: number): Hex | null => solanaIds.parseAddress(tx.accountKey(instruction, nth));
  if (tag === METAPLEX_CREATE_V3) {
    const { uri } = readDataV2(cursor);
    const to = cursor.bool() ? key(4) : null;
    return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 1), uri, authority: { role: 'metadata', to } }];
  }
  if (tag === METAPLEX_CREATE) {
    if (cursor.u8() !== 0) return NONE;
    const { uri } = readMetaplexData(cursor);
    cursor.bool();
    const to = cursor.bool() ? key(5) : null;
    return cursor.failed ? NONE : [{ ...ofMint(tx, instruction, 2), uri, authority: { role: 'metadata', to } }];
  }
  if (tag === METAPLEX_UPDATE_V2) {
    const uri = cursor.option(() => readDataV2(cursor).uri);
    const named = cursor.option(() => cursor.authority());
    return updated(cursor, { mint: '', metadataAccount: tx.accountKey(instruction, 0) }, uri, named);
  }
  if (tag === METAPLEX_UPDATE && BY_AUTHORITY.has(cursor.u8())) {
    const named = cursor.option(() => cursor.authority());
    const uri = cursor.option(() => readMetaplexData(cursor).uri);
    return updated(cursor, ofMint(tx, instruction, 3), uri, named);
  }
  return NONE;
}

/**
 * Both updates end in the same way: whether it was sold, and whether it may be changed again; if not, it has no
 * authority.
 */
function updated(
  cursor: ByteCursor,
  of: TokenChange,
  uri: string | null | undefined,
  named: Hex | null | undefined,
): readonly TokenChange[] {
  cursor.option(() => cursor.bool());
  const mutable = cursor.option(() => cursor.bool());
  if (cursor.failed) return NONE;
  const to = mutable === false ? null : named;
  if (uri === undefined && to === undefined) return NONE;
  return [{ ...of, uri, authority: to === undefined ? undefined : { role: 'metadata', to } }];
}

/** What Metaplex instructions of the second generation say: the record, then collection and uses. */
function readDataV2(cursor: ByteCursor): { uri: string | null } {
  const data = readMetaplexData(cursor);
  cursor.option(() => cursor.skip(33));
  cursor.option(() => cursor.skip(17));
  return data;
}

const ofMint = (tx: SolanaTransaction, instruction: SolanaInstruction, nth: number): TokenChange => ({
  mint: tx.accountKey(instruction, nth),
  metadataAccount: '',
});
