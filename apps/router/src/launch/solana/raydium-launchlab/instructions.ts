import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  bufferOf,
  derive,
  type Instruction,
  idOf,
  RENT_SYSVAR,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  u16,
  u64,
  WRAPPED_MINT,
  writes,
} from '#programs/client.js';
import type { NamedToken } from '../../ports.js';
import { borshText } from '../borsh-text.js';
import { METAPLEX, metadataIdOf } from '../metaplex.js';

/** Instructions of Raydium LaunchLab, as its published SDK lays them out: a constant product against SOL on Raydium's own platform. */
export const LAUNCHLAB = idOf('LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj');
/** Raydium's platform; its account says whether it restricts settings and curves. */
export const PLATFORM = idOf('4Bu96XjU84XjPDSpveTVf6LYGCkfW5FK7SNkREWcEfV4');
const INITIALIZE_V2 = Buffer.from('4399af27da102620', 'hex');
const BUY_EXACT_IN = Buffer.from('faea0d7bd59c13ec', 'hex');

const at = (word: string, ...ids: readonly Hex[]): Hex => derive(LAUNCHLAB, Buffer.from(word), ...ids.map(bufferOf)).id;
/** Fees of a platform, or of a creator, in wrapped coins. */
const feesOf = (owner: Hex): Hex => derive(LAUNCHLAB, bufferOf(owner), bufferOf(WRAPPED_MINT)).id;

const AUTHORITY = at('vault_auth_seed');
const EVENT_AUTHORITY = at('__event_authority');
const PRODUCT = 0;
/** The first settings of that curve against wrapped coins. */
export const CONFIG = derive(LAUNCHLAB, Buffer.from('global_config'), bufferOf(WRAPPED_MINT), u8(PRODUCT), u16(0)).id;

/** A billion units of 6 decimals, of which 793.1 million are sold for 85 SOL: the SDK's own settings. */
const DECIMALS = 6;
const SUPPLY = 1_000_000_000_000_000n;
const FOR_SALE = 793_100_000_000_000n;
const RAISED = 85_000_000_000n;
/** Where it migrates to, and the creator's fee there, which is in SOL. */
const CPMM = 1;
const FEE_IN_QUOTE = 0;

export interface LaunchlabCurve {
  readonly mint: Hex;
  readonly id: Hex;
  readonly baseVault: Hex;
  readonly quoteVault: Hex;
}

export function launchlabCurve(mint: Hex): LaunchlabCurve {
  const id = at('pool', mint, WRAPPED_MINT);
  return { mint, id, baseVault: at('pool_vault', id, mint), quoteVault: at('pool_vault', id, WRAPPED_MINT) };
}

/** What the platform's account says that it restricts: accounts that show that a create is allowed go with it. */
export interface PlatformLimits {
  readonly settings: boolean;
  readonly curves: boolean;
}

const SETTINGS_AT = 832;

/** Platforms of earlier versions restrict nothing. */
export const platformLimits = (data: Uint8Array): PlatformLimits => ({
  settings: data.length > SETTINGS_AT && data[SETTINGS_AT] !== 0,
  curves: data.length > SETTINGS_AT + 1 && data[SETTINGS_AT + 1] !== 0,
});

export const initializeV2 = (
  { id, mint, baseVault, quoteVault }: LaunchlabCurve,
  { creator, name, symbol, uri }: NamedToken,
  limits: PlatformLimits,
): Instruction => ({
  program: LAUNCHLAB,
  accounts: [
    ...[signs(creator, true), reads(creator), reads(CONFIG), reads(PLATFORM), reads(AUTHORITY)],
    ...[writes(id), signs(mint, true), reads(WRAPPED_MINT), writes(baseVault), writes(quoteVault)],
    ...[writes(metadataIdOf(mint)), reads(TOKEN_PROGRAM_ID), reads(TOKEN_PROGRAM_ID), reads(METAPLEX)],
    ...[reads(SYSTEM_PROGRAM), reads(RENT_SYSVAR), reads(EVENT_AUTHORITY), reads(LAUNCHLAB)],
    ...(limits.settings ? [reads(at('platform_allow_config', PLATFORM, CONFIG))] : []),
    ...(limits.curves ? [reads(at('platform_curve_rule', PLATFORM, CONFIG))] : []),
  ],
  data: Buffer.concat([
    ...[INITIALIZE_V2, u8(DECIMALS), ...[name, symbol, uri].map(borshText)],
    ...[u8(PRODUCT), u64(SUPPLY), u64(FOR_SALE), u64(RAISED), u8(CPMM)],
    // Nothing is locked.
    ...[u64(0n), u64(0n), u64(0n), u8(FEE_IN_QUOTE)],
  ]),
});

/** Spends so many wrapped coins of the creator, fees included; no other has a share of the fee. */
export const buyExactIn = (
  { id, mint, baseVault, quoteVault }: LaunchlabCurve,
  creator: Hex,
  lamports: bigint,
  leastTokens: bigint,
): Instruction => ({
  program: LAUNCHLAB,
  accounts: [
    ...[signs(creator, true), reads(AUTHORITY), reads(CONFIG), reads(PLATFORM), writes(id)],
    ...[writes(associatedId(creator, mint)), writes(associatedId(creator, WRAPPED_MINT))],
    ...[writes(baseVault), writes(quoteVault), reads(mint), reads(WRAPPED_MINT)],
    ...[
      reads(TOKEN_PROGRAM_ID),
      reads(TOKEN_PROGRAM_ID),
      reads(EVENT_AUTHORITY),
      reads(LAUNCHLAB),
      reads(SYSTEM_PROGRAM),
    ],
    ...[writes(feesOf(PLATFORM)), writes(feesOf(creator))],
  ],
  data: Buffer.concat([BUY_EXACT_IN, u64(lamports), u64(leastTokens), u64(0n)]),
});
