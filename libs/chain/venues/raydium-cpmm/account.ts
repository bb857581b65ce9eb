import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/** Side that the creator's fee is taken on: the input's, or always that of one token. */
type CreatorFeeOn = 'input' | 'token0' | 'token1';

const POOL = ['f7ede3f5d7c3de46'];
const CONFIG = ['daf42168cbcb2b6f'];
const POOL_BYTES = 413;
const CONFIG_BYTES = 116;
const SWAP_DISABLED = 4;
const PPM = 1_000_000n;
const CREATOR_FEE_ON: readonly CreatorFeeOn[] = ['input', 'token0', 'token1'];

export const readCpmmPool = accountReader(POOL, POOL_BYTES, (account) => {
  const creatorFeeOn = CREATOR_FEE_ON[account.u8(389)];
  if (creatorFeeOn === undefined) return null;
  return {
    config: account.key(8),
    vault0: account.key(72),
    vault1: account.key(104),
    mint0: account.key(168),
    mint1: account.key(200),
    program0: account.key(232),
    program1: account.key(264),
    observation: account.key(296),
    swapDisabled: (account.u8(329) & SWAP_DISABLED) !== 0,
    openTime: account.u64(373),
    /** Fees of protocol, fund and creator that are still in the vaults. */
    owed0: account.u64(341) + account.u64(357) + account.u64(397),
    owed1: account.u64(349) + account.u64(365) + account.u64(405),
    creatorFeeOn,
    creatorFeeEnabled: account.u8(390) !== 0,
  };
});
export type CpmmPool = AccountOf<typeof readCpmmPool>;

/** Null for data that are no configuration, or one whose fees would take everything. */
export const readCpmmConfig = accountReader(CONFIG, CONFIG_BYTES, (account) => {
  const config = { tradeFeeRate: account.u64(12), creatorFeeRate: account.u64(108) };
  return config.tradeFeeRate + config.creatorFeeRate < PPM ? config : null;
});
/** Parts per million of the amount that a fee is taken from. */
export type CpmmConfig = AccountOf<typeof readCpmmConfig>;
