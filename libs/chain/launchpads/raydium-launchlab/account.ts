import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/** What the virtual reserves of a pool mean: see `curve.ts`. */
export type LaunchlabCurveKind = 'product' | 'fixed' | 'linear';

export interface LaunchlabPool {
  /** Whether it raises funds; afterwards it only migrates. */
  readonly raising: boolean;
  readonly totalBaseSell: bigint;
  readonly virtualBase: bigint;
  readonly virtualQuote: bigint;
  /** Tokens sold. */
  readonly realBase: bigint;
  /** Quote raised. */
  readonly realQuote: bigint;
  readonly totalQuoteFundRaising: bigint;
  readonly config: string;
  readonly platform: string;
  readonly baseMint: string;
  readonly quoteMint: string;
  readonly baseVault: string;
  readonly quoteVault: string;
  readonly creator: string;
}

/** Rates are parts per million. */
export interface LaunchlabConfig {
  readonly curve: LaunchlabCurveKind;
  readonly protocolRate: bigint;
}

export interface LaunchlabPlatform {
  readonly platformRate: bigint;
  readonly creatorRate: bigint;
}

const POOL = [bytesOfHex('f7ede3f5d7c3de46')];
const CONFIG = [bytesOfHex('95089ccaa0fcb0d9')];
const PLATFORM = [bytesOfHex('a04e8000f853e6a0')];
const POOL_BYTES = 365;
const CONFIG_BYTES = 35;
const PLATFORM_BYTES = 112;
const CREATOR_RATE_AT = 720;
const RAISING = 0;
const KINDS: readonly LaunchlabCurveKind[] = ['product', 'fixed', 'linear'];

export function readLaunchlabPool(data: Uint8Array): LaunchlabPool | null {
  const account = AccountData.of(data, POOL, POOL_BYTES);
  if (account === null) return null;
  return {
    raising: account.u8(17) === RAISING,
    totalBaseSell: account.u64(29),
    virtualBase: account.u64(37),
    virtualQuote: account.u64(45),
    realBase: account.u64(53),
    realQuote: account.u64(61),
    totalQuoteFundRaising: account.u64(69),
    config: account.key(141),
    platform: account.key(173),
    baseMint: account.key(205),
    quoteMint: account.key(237),
    baseVault: account.key(269),
    quoteVault: account.key(301),
    creator: account.key(333),
  };
}

export function readLaunchlabConfig(data: Uint8Array): LaunchlabConfig | null {
  const account = AccountData.of(data, CONFIG, CONFIG_BYTES);
  const curve = account === null ? undefined : KINDS[account.u8(16)];
  return account === null || curve === undefined ? null : { curve, protocolRate: account.u64(27) };
}

/** Platforms of earlier versions hold no creator's rate. */
export function readLaunchlabPlatform(data: Uint8Array): LaunchlabPlatform | null {
  const account = AccountData.of(data, PLATFORM, PLATFORM_BYTES);
  if (account === null) return null;
  const creatorRate = data.length >= CREATOR_RATE_AT + 8 ? account.u64(CREATOR_RATE_AT) : 0n;
  return { platformRate: account.u64(104), creatorRate };
}
