import { AccountData } from '#libs/chain/chains/solana/account-data.js';

/** An AMM's account, coin and pc in the program's own order. It starts with no discriminator. */
export interface RaydiumV4Pool {
  readonly status: bigint;
  readonly openTime: bigint;
  readonly swapFeeNumerator: bigint;
  readonly swapFeeDenominator: bigint;
  /** Earnings of the protocol that are still in the vaults. */
  readonly coinToTake: bigint;
  readonly pcToTake: bigint;
  readonly coinVault: string;
  readonly pcVault: string;
  readonly coinMint: string;
  readonly pcMint: string;
  readonly openOrders: string;
}

export interface OpenOrders {
  readonly coin: bigint;
  readonly pc: bigint;
}

const BYTES = 752;
const LAST_STATUS = 7n;
const NO_DISCRIMINATOR = [new Uint8Array(0)];
const OPEN_ORDERS_BYTES = 109;
const OPEN_ORDERS = [Uint8Array.from(Buffer.from('serum'))];

/** Null for data that are no initialized AMM. */
export function readRaydiumV4(data: Uint8Array): RaydiumV4Pool | null {
  const account = AccountData.of(data, NO_DISCRIMINATOR, BYTES);
  if (account === null) return null;
  const pool: RaydiumV4Pool = {
    status: account.u64(0),
    swapFeeNumerator: account.u64(176),
    swapFeeDenominator: account.u64(184),
    coinToTake: account.u64(192),
    pcToTake: account.u64(200),
    openTime: account.u64(224),
    coinVault: account.key(336),
    pcVault: account.key(368),
    coinMint: account.key(400),
    pcMint: account.key(432),
    openOrders: account.key(496),
  };
  const known = pool.status >= 1n && pool.status <= LAST_STATUS;
  return known && pool.swapFeeNumerator < pool.swapFeeDenominator && pool.coinMint !== pool.pcMint ? pool : null;
}

/** What an AMM's account in the order book holds, free or in orders; null for data that are no such account. */
export function readOpenOrders(data: Uint8Array): OpenOrders | null {
  const account = AccountData.of(data, OPEN_ORDERS, OPEN_ORDERS_BYTES);
  return account === null ? null : { coin: account.u64(85), pc: account.u64(101) };
}
