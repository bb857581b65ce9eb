import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/** Side that the creator's fee is taken on: the input's, or always that of one token. */
type CreatorFeeOn = 'input' | 'token0' | 'token1';

export interface CpmmPool {
  readonly config: string;
  readonly vault0: string;
  readonly vault1: string;
  readonly mint0: string;
  readonly mint1: string;
  readonly program0: string;
  readonly program1: string;
  readonly observation: string;
  readonly swapDisabled: boolean;
  readonly openTime: bigint;
  /** Fees of protocol, fund and creator that are still in the vaults. */
  readonly owed0: bigint;
  readonly owed1: bigint;
  readonly creatorFeeOn: CreatorFeeOn;
  readonly creatorFeeEnabled: boolean;
}

/** Parts per million of the amount that a fee is taken from. */
export interface CpmmConfig {
  readonly tradeFeeRate: bigint;
  readonly creatorFeeRate: bigint;
}

const POOL = [bytesOfHex('f7ede3f5d7c3de46')];
const CONFIG = [bytesOfHex('daf42168cbcb2b6f')];
const POOL_BYTES = 413;
const CONFIG_BYTES = 116;
const SWAP_DISABLED = 4;
const PPM = 1_000_000n;
const CREATOR_FEE_ON: readonly CreatorFeeOn[] = ['input', 'token0', 'token1'];

export function readCpmmPool(data: Uint8Array): CpmmPool | null {
  const account = AccountData.of(data, POOL, POOL_BYTES);
  const creatorFeeOn = account === null ? undefined : CREATOR_FEE_ON[account.u8(389)];
  if (account === null || creatorFeeOn === undefined) return null;
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
    owed0: account.u64(341) + account.u64(357) + account.u64(397),
    owed1: account.u64(349) + account.u64(365) + account.u64(405),
    creatorFeeOn,
    creatorFeeEnabled: account.u8(390) !== 0,
  };
}

/** Null for data that are no configuration, or one whose fees would take everything. */
export function readCpmmConfig(data: Uint8Array): CpmmConfig | null {
  const account = AccountData.of(data, CONFIG, CONFIG_BYTES);
  if (account === null) return null;
  const config = { tradeFeeRate: account.u64(12), creatorFeeRate: account.u64(108) };
  return config.tradeFeeRate + config.creatorFeeRate < PPM ? config : null;
}
