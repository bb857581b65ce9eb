import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import {
  type FeeRate,
  NO_FEE,
  roundedProductCurve,
  swapExactIn,
  swapExactOut,
} from '#libs/chain/amm/solana-constant-product.js';
import type { ChainMoment, KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type RaydiumV4Pool, readOpenOrders, readRaydiumV4 } from './account.js';

const PROGRAM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';
const PPM = 1_000_000n;
const INITIALIZED = 1n;
const SWAP_ONLY = 6n;
const WAITING_TRADE = 7n;

/**
 * Raydium AMM v4, coin as A and pc as B: a constant product of the vaults less what the protocol has yet to take, the swap
 * fee taken from the input; an input whose fee is below half a unit pays none, though one that is asked for an exact output
 * does. The program does not trade on an order book; an AMM that still has tokens in one gives no
 * quote, since what they add to its reserves depends on fills that its accounts do not show.
 */
export const raydiumV4Pools = accountPools({
  venue: 'raydium-v4',
  program: PROGRAM,
  account: readRaydiumV4,
  identity: (pool) => ({
    mintA: pool.coinMint,
    mintB: pool.pcMint,
    vaultA: pool.coinVault,
    vaultB: pool.pcVault,
    feePpm: Number((pool.swapFeeNumerator * PPM) / pool.swapFeeDenominator),
  }),
  needs: ({ coinVault, pcVault, status, openOrders }) =>
    status === INITIALIZED ? [coinVault, pcVault, openOrders] : [coinVault, pcVault],
  read(pool, { known }, at) {
    if (!trades(pool, known, at)) return null;
    const coin = vaultBalance(known, pool.coinVault, pool.coinMint);
    const pc = vaultBalance(known, pool.pcVault, pool.pcMint);
    if (coin === null || pc === null || coin <= pool.coinToTake || pc <= pool.pcToTake) return null;
    const fee = { numerator: pool.swapFeeNumerator, denominator: pool.swapFeeDenominator };
    return stateOf(coin - pool.coinToTake, pc - pool.pcToTake, fee);
  },
});

function trades(pool: RaydiumV4Pool, known: KnownAccounts, at: ChainMoment): boolean {
  if (pool.status === WAITING_TRADE) return at.unixTime >= pool.openTime;
  if (pool.status !== INITIALIZED) return pool.status === SWAP_ONLY;
  const account = known.get(pool.openOrders);
  if (account === undefined) return false;
  if (account === null) return true;
  const orders = readOpenOrders(account.data);
  return orders !== null && orders.coin === 0n && orders.pc === 0n;
}

function stateOf(reserveA: bigint, reserveB: bigint, fee: FeeRate): SolanaPoolState {
  const coinIn = roundedProductCurve(reserveA, reserveB);
  const pcIn = roundedProductCurve(reserveB, reserveA);
  const rateOn = (amountIn: bigint): FeeRate => (2n * amountIn * fee.numerator < fee.denominator ? NO_FEE : fee);
  const answer = (swap: ReturnType<typeof swapExactIn>): CurveSwap | null =>
    swap && { amountIn: swap.amountIn, amountOut: swap.amountOut, fee: swap.feeIn, feeSide: 'input' };
  return {
    reserveA,
    reserveB,
    spot: { numerator: reserveB, denominator: reserveA },
    exactIn: (aToB, amountIn) => answer(swapExactIn(aToB ? coinIn : pcIn, rateOn(amountIn), NO_FEE, amountIn)),
    exactOut: (aToB, amountOut) => answer(swapExactOut(aToB ? coinIn : pcIn, fee, NO_FEE, amountOut)),
  };
}
