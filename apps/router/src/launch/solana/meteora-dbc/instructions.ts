import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  bufferOf,
  derive,
  type Instruction,
  idOf,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u64,
  WRAPPED_MINT,
  writes,
} from '#programs/client.js';
import type { NamedToken } from '../../ports.js';
import { borshText } from '../borsh-text.js';
import { METAPLEX, metadataIdOf } from '../metaplex.js';
import { CONFIG_TERMS } from './terms.js';

/** Instructions of Meteora's dynamic bonding curve, as its published IDL lays them out: a curve with settings of its own. */
const DBC = idOf('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN');
const CREATE_CONFIG = Buffer.from('c9cff3724b6f2fbd', 'hex');
const INITIALIZE = Buffer.from('8c55d7b06636684f', 'hex');
const SWAP = Buffer.from('f8c69e91e17587c8', 'hex');

const at = (word: string, ...ids: readonly Hex[]): Hex => derive(DBC, Buffer.from(word), ...ids.map(bufferOf)).id;
const AUTHORITY = at('pool_authority');
const EVENT_AUTHORITY = at('__event_authority');

export interface DbcCurve {
  readonly config: Hex;
  readonly mint: Hex;
  readonly id: Hex;
  readonly baseVault: Hex;
  readonly quoteVault: Hex;
}

/** Of a pair, the larger mint comes first. */
export function dbcCurve(config: Hex, mint: Hex): DbcCurve {
  const [first, second] = WRAPPED_MINT > mint ? [WRAPPED_MINT, mint] : [mint, WRAPPED_MINT];
  const id = at('pool', config, first, second);
  const vault = (of: Hex): Hex => at('token_vault', of, id);
  return { config, mint, id, baseVault: vault(mint), quoteVault: vault(WRAPPED_MINT) };
}

/** The creator is the one whom the fees belong to, and who gets what is left of the tokens. */
export const createConfig = ({ config }: DbcCurve, creator: Hex): Instruction => ({
  program: DBC,
  accounts: [
    signs(config, true),
    ...[reads(creator), reads(creator), reads(WRAPPED_MINT)],
    ...[signs(creator, true), reads(SYSTEM_PROGRAM), reads(EVENT_AUTHORITY), reads(DBC)],
  ],
  data: Buffer.concat([CREATE_CONFIG, CONFIG_TERMS]),
});

export const initializePool = (curve: DbcCurve, { creator, name, symbol, uri }: NamedToken): Instruction => ({
  program: DBC,
  accounts: [
    ...[reads(curve.config), reads(AUTHORITY), signs(creator), signs(curve.mint, true), reads(WRAPPED_MINT)],
    ...[writes(curve.id), writes(curve.baseVault), writes(curve.quoteVault)],
    ...[writes(metadataIdOf(curve.mint)), reads(METAPLEX), signs(creator, true)],
    ...[reads(TOKEN_PROGRAM_ID), reads(TOKEN_PROGRAM_ID), reads(SYSTEM_PROGRAM), reads(EVENT_AUTHORITY), reads(DBC)],
  ],
  data: Buffer.concat([INITIALIZE, ...[name, symbol, uri].map(borshText)]),
});

/** Sells wrapped coins of the creator to the curve. No referral: the program itself takes that place. */
export const buyOnCurve = (curve: DbcCurve, creator: Hex, lamports: bigint, leastTokens: bigint): Instruction => ({
  program: DBC,
  accounts: [
    ...[reads(AUTHORITY), reads(curve.config), writes(curve.id)],
    ...[writes(associatedId(creator, WRAPPED_MINT)), writes(associatedId(creator, curve.mint))],
    ...[writes(curve.baseVault), writes(curve.quoteVault), reads(curve.mint), reads(WRAPPED_MINT)],
    ...[signs(creator), reads(TOKEN_PROGRAM_ID), reads(TOKEN_PROGRAM_ID)],
    ...[reads(DBC), reads(EVENT_AUTHORITY), reads(DBC)],
  ],
  data: Buffer.concat([SWAP, u64(lamports), u64(leastTokens)]),
});
