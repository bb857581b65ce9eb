import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/** What the virtual reserves of a pool mean: see `curve.ts`. */
export type LaunchlabCurveKind = 'product' | 'fixed' | 'linear';

const POOL = ['f7ede3f5d7c3de46'];
const CONFIG = ['95089ccaa0fcb0d9'];
const PLATFORM = ['a04e8000f853e6a0'];
const POOL_BYTES = 365;
const CONFIG_BYTES = 35;
const PLATFORM_BYTES = 112;
const CREATOR_RATE_AT = 720;
const RAISING = 0;
const KINDS: readonly LaunchlabCurveKind[] = ['product', 'fixed', 'linear'];

export const readLaunchlabPool = accountReader(POOL, POOL_BYTES, (account) => ({
  /** Whether it raises funds; afterwards it only migrates. */
  raising: account.u8(17) === RAISING,
  totalBaseSell: account.u64(29),
  virtualBase: account.u64(37),
  virtualQuote: account.u64(45),
  /** Tokens sold. */
  realBase: account.u64(53),
  /** Quote raised. */
  realQuote: account.u64(61),
  totalQuoteFundRaising: account.u64(69),
  config: account.key(141),
  platform: account.key(173),
  baseMint: account.key(205),
  quoteMint: account.key(237),
  baseVault: account.key(269),
  quoteVault: account.key(301),
  creator: account.key(333),
}));
export type LaunchlabPool = AccountOf<typeof readLaunchlabPool>;

/** Rates are parts per million. */
export const readLaunchlabConfig = accountReader(CONFIG, CONFIG_BYTES, (account) => {
  const curve = KINDS[account.u8(16)];
  return curve === undefined ? null : { curve, protocolRate: account.u64(27) };
});

/** Platforms of earlier versions hold no creator's rate. */
export const readLaunchlabPlatform = accountReader(PLATFORM, PLATFORM_BYTES, (account) => {
  const creatorRate = account.data.length >= CREATOR_RATE_AT + 8 ? account.u64(CREATOR_RATE_AT) : 0n;
  return { platformRate: account.u64(104), creatorRate };
});
