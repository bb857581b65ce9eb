import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

const BYTES = 752;
const LAST_STATUS = 7n;
const NO_DISCRIMINATOR = [''];
const OPEN_ORDERS_BYTES = 109;
/** `serum`. */
const OPEN_ORDERS = ['736572756d'];

/** Null for data that are no initialized AMM. */
export const readRaydiumV4 = accountReader(NO_DISCRIMINATOR, BYTES, (account) => {
  const pool = {
    status: account.u64(0),
    swapFeeNumerator: account.u64(176),
    swapFeeDenominator: account.u64(184),
    /** Earnings of the protocol that are still in the vaults. */
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
});
/** An AMM's account, coin and pc in the program's own order. It starts with no discriminator. */
export type RaydiumV4Pool = AccountOf<typeof readRaydiumV4>;

/** What an AMM's account in the order book holds, free or in orders; null for data that are no such account. */
export const readOpenOrders = accountReader(OPEN_ORDERS, OPEN_ORDERS_BYTES, (account) => ({
  coin: account.u64(85),
  pc: account.u64(101),
}));
